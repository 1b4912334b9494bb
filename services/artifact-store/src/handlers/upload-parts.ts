import { invalid } from '@sciencediscovery/kernel'
import {
  type UploadFileRequest,
  type UploadStart,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'

/** An upload that has begun. */
export interface UploadParts {
  readonly start: UploadStart
  /** The content in order; to be read once. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Reads what the upload is; refuses one that does not begin with that. */
export async function openUpload(requests: AsyncIterable<UploadFileRequest>): Promise<UploadParts> {
  const iterator = requests[Symbol.asyncIterator]()
  const first = await iterator.next()
  const part = first.done === true ? undefined : first.value.part
  if (part?.$case !== 'start')
    throw invalid('start', 'is missing', 'send start first, then the content in pieces')
  return { start: part.value, content: contentOf(iterator) }
}

async function* contentOf(
  iterator: AsyncIterator<UploadFileRequest>,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const next = await iterator.next()
    if (next.done === true) return
    const { part } = next.value
    if (part?.$case !== 'content')
      throw invalid(part?.$case ?? 'part', 'comes after start', 'send only content after start')
    yield part.value
  }
}
