import { createHash } from 'node:crypto'
import { type Digest, invalid, PlatformError } from '@sciencediscovery/kernel'

/** Whether the text is a SHA-256 in lower-case hex, and so safe as a file name or key. */
export function isDigest(text: string): text is Digest {
  return /^[0-9a-f]{64}$/.test(text)
}

/** The digest, or `invalid` when it is none. */
export function parseDigest(text: string): Digest {
  if (isDigest(text)) return text
  throw invalid('digest', 'is not a SHA-256', 'send 64 lower-case hex digits')
}

/** The digest of the bytes. */
export function digestOf(content: Uint8Array): Digest {
  return parseDigest(createHash('sha256').update(content).digest('hex'))
}

/** A stored blob whose bytes are not what its name says. */
export function damaged(digest: string, found: string): PlatformError {
  return new PlatformError('bug', `blob ${digest} is damaged: its bytes hash to ${found}`, {
    reason: 'blob_damaged',
    remedy: 'restore the blob store from its backup',
  })
}

/** Passes the stream on and throws at its end when the bytes do not match. */
export async function* verified(
  digest: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
  const found = hash.digest('hex')
  if (found !== digest) throw damaged(digest, found)
}
