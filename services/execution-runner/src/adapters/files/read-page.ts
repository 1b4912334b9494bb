import { type FileHandle } from 'node:fs/promises'
import { openText, readLinePage } from '@sciencediscovery/text-page'
import { type FilePage, type PageRange } from '../../workspace-files.js'
import { mediaTypeOf } from './media-type.js'

const chunkBytes = 64 * 1024

/** A page of an open file; of a binary one what it is. */
export async function readPage(
  file: FileHandle,
  path: string,
  range: PageRange,
): Promise<FilePage> {
  const sizeBytes = (await file.stat()).size
  const { head, encoding, utf8, close } = await openText(chunksOf(file))
  const mediaType = await mediaTypeOf(head, path)
  if (!encoding) {
    await close()
    return binaryPage(path, mediaType, sizeBytes)
  }
  const page = await readLinePage(utf8, range)
  return { ...page, path, binary: false, mediaType, sizeBytes, encoding: encoding.name }
}

function binaryPage(path: string, mediaType: string, sizeBytes: number): FilePage {
  const type = mediaType.startsWith('text/') ? 'application/octet-stream' : mediaType
  return {
    ...{ path, content: '', binary: true, mediaType: type, sizeBytes, encoding: 'utf-8' },
    ...{ startLine: 0, endLine: 0, totalLines: 0, hasMore: false, nextOffset: 0 },
    ...{ nextCharOffset: 0, partialLine: false },
  }
}

/** The bytes of an open file in order. */
export async function* chunksOf(file: FileHandle, bytes = chunkBytes): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const chunk = await readAt(file, position, bytes)
    if (chunk.length === 0) return
    position += chunk.length
    yield chunk
  }
}

/** Up to `length` bytes from a place on. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
