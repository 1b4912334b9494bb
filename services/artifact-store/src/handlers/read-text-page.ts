import { type BlobStore } from '@sciencediscovery/blob-store'
import { type TextPage } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { toAbortError } from '@sciencediscovery/service-kit'
import { type LineRange, openText, readLinePage } from '@sciencediscovery/text-page'

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
  range: LineRange,
  signal: AbortSignal,
): Promise<Omit<TextPage, 'mediaType' | 'sizeBytes'>> {
  const { encoding, utf8, close } = await openText(until(signal, blobs.read(digest)))
  if (encoding === undefined) {
    await close()
    return binaryPage
  }
  const page = await readLinePage(utf8, range)
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
    encoding: encoding.name,
  }
}

async function* until(
  signal: AbortSignal,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    if (signal.aborted) throw toAbortError(signal)
    yield piece
  }
}
