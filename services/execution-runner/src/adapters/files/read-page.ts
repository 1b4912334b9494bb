import { type FileHandle } from 'node:fs/promises'
import { type FilePage, type PageRange } from '../../workspace-files.js'
import { mediaTypeOf } from './media-type.js'
import { PageReader } from './page-reader.js'
import { encodingOf, sniffBytes, type TextEncoding } from './text-encoding.js'

const maxPageBytes = 40 * 1024
const chunkBytes = 64 * 1024

/** A page of an open file; of a binary one what it is. */
export async function readPage(
  file: FileHandle,
  path: string,
  range: PageRange,
): Promise<FilePage> {
  const sizeBytes = (await file.stat()).size
  const start = await readAt(file, 0, sniffBytes)
  const mediaType = await mediaTypeOf(start, path)
  const encoding = encodingOf(start)
  if (!encoding) return binaryPage(mediaType, sizeBytes)
  const reader = new PageReader(range, maxPageBytes)
  for await (const chunk of utf8ChunksOf(file, encoding)) reader.add(chunk)
  const { bytes, ...page } = reader.finish()
  const { content, name } = toText(bytes, encoding)
  return { ...page, content, binary: false, mediaType, sizeBytes, encoding: name }
}

function binaryPage(mediaType: string, sizeBytes: number): FilePage {
  const type = mediaType.startsWith('text/') ? 'application/octet-stream' : mediaType
  return {
    ...{ content: '', binary: true, mediaType: type, sizeBytes, encoding: 'utf-8' },
    ...{ startLine: 0, endLine: 0, totalLines: 0, hasMore: false, nextOffset: 0 },
    ...{ nextCharOffset: 0, partialLine: false },
  }
}

/** Behind the sample a file may turn out not to be UTF-8 after all: then every byte is a character. */
function toText(
  bytes: Buffer,
  { name }: TextEncoding,
): { readonly content: string; readonly name: FilePage['encoding'] } {
  try {
    return {
      content: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes),
      name,
    }
  } catch {
    return { content: bytes.toString('latin1'), name: 'latin-1' }
  }
}

async function* utf8ChunksOf(
  file: FileHandle,
  { name, bomBytes }: TextEncoding,
): AsyncGenerator<Buffer> {
  const decoder = name === 'utf-8' ? undefined : new TextDecoder(name, { ignoreBOM: true })
  for (let position = bomBytes; ;) {
    const chunk = await readAt(file, position, chunkBytes)
    if (chunk.length === 0) break
    position += chunk.length
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk
  }
  if (decoder) yield Buffer.from(decoder.decode())
}

/** Up to `length` bytes from a place on. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
