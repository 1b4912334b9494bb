import { randomUUID } from 'node:crypto'
import type { Metadata } from '@grpc/grpc-js'
import { PlatformError } from '@sciencediscovery/kernel'
import { headerOf } from './header.js'

/**
 * Cancelling a client stream sends its end before its reset (Node's http2 closes the writable side
 * first), so a server cannot tell a cut upload from a whole one. Our callers therefore announce a
 * mark in a header and send it as their last message; only then is the stream whole.
 * Callers that announce none are taken at their word.
 */
const header = 'stream-end-mark'

/** Announces a new mark in the metadata; the returned message must be the last one. */
export function announceEnd(metadata: Metadata): Buffer {
  const mark = randomUUID()
  metadata.set(header, mark)
  return Buffer.from(mark)
}

/** The requests before the mark; throws `cancelled` when the stream ends without the one it announced. */
export async function* untilMarked(
  requests: AsyncIterable<Buffer>,
  metadata: Metadata,
): AsyncGenerator<Buffer, void, undefined> {
  const announced = headerOf(metadata, header)
  const mark = announced === undefined ? undefined : Buffer.from(announced)
  let whole = mark === undefined
  for await (const request of requests) {
    if (mark?.equals(request) === true) whole = true
    else yield request
  }
  if (!whole) throw new PlatformError('cancelled', 'the caller left before the end of its stream')
}
