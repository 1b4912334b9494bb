import { type StoredCommit } from '../commit.js'
import { decodeCommit } from '../commit-codec.js'
import { type ReadMessage } from './ordered-reader.js'

/** A message of the stream as a commit. */
export function toStored(
  message: Pick<ReadMessage, 'sequence' | 'payload'>,
  stream: string,
): StoredCommit {
  const commit = decodeCommit(message.payload, `${stream}/${message.sequence}`)
  return { commit, stream, sequence: message.sequence }
}
