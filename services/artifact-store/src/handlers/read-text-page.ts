import { type BlobStore } from '@sciencediscovery/blob-store'
import { type TextPage } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { toAbortError } from '@sciencediscovery/service-kit'
import { type Encoding, encodingOf, probeBytes } from '../domain/text-page/encoding.js'
import { type PageRange, Pager } from '../domain/text-page/pager.js'

const binaryPage = {
  content: '',
  binary: true,
  startLine: 0n,
  endLine: 0n,
  totalLines: 0n,
  hasMore: false,
  nextOffset: 0n,
  nextCharOffset: 0n,
  partialLine: false,
  encoding: '',
}

/** A page of stored content in constant memory: the lines after it are counted, never kept. */
export async function readTextPage(
  blobs: BlobStore,
  digest: string,
  range: PageRange,
  signal: AbortSignal,
): Promise<Omit<TextPage, 'mediaType' | 'sizeBytes'>> {
  const encoding = encodingOf(await headOf(blobs, digest))
  if (encoding === undefined) return binaryPage
  const page = await pageOf(blobs.read(digest), encoding, range, signal)
  return {
    content: page.content,
    binary: false,
    startLine: BigInt(page.startLine),
    endLine: BigInt(page.endLine),
    totalLines: BigInt(page.totalLines),
    hasMore: page.hasMore,
    nextOffset: BigInt(page.nextOffset),
    nextCharOffset: BigInt(page.nextCharOffset),
    partialLine: page.partialLine,
    encoding,
  }
}

async function headOf(blobs: BlobStore, digest: string): Promise<Uint8Array> {
  const stat = await blobs.stat(digest)
  if (stat?.sizeBytes === 0) return new Uint8Array()
  const pieces: Uint8Array[] = []
  for await (const piece of blobs.read(digest, { offset: 0, length: probeBytes }))
    pieces.push(piece)
  return Buffer.concat(pieces)
}

async function pageOf(
  content: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  range: PageRange,
  signal: AbortSignal,
): Promise<ReturnType<Pager['end']>> {
  const decoder = new TextDecoder(encoding)
  const pager = new Pager(range)
  for await (const piece of content) {
    if (signal.aborted) throw toAbortError(signal)
    pager.push(decoder.decode(piece, { stream: true }))
  }
  pager.push(decoder.decode())
  return pager.end()
}
