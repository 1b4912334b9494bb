import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type Commit, maxCommitBytes } from './commit.js'

const RecordedEventSchema = z.object({ type: z.string(), v: z.number(), data: z.unknown() })

const CommitSchema = z.object({
  commitId: z.string(),
  subject: z.string(),
  version: z.number(),
  previousId: z.string().nullable(),
  firstPosition: z.number(),
  commandId: z.string(),
  causationId: z.string(),
  correlationId: z.string(),
  writer: z.string(),
  recordedAt: z.string(),
  requestDigest: z.string().exactOptional(),
  traceparent: z.string().exactOptional(),
  events: z.array(RecordedEventSchema),
})

/** The bytes of a commit; refuses one over the limit and names the field that makes it so. */
export function encodeCommit(commit: Commit): Buffer {
  const bytes = Buffer.from(JSON.stringify(commit))
  if (bytes.length > maxCommitBytes) throw tooLarge(commit, bytes.length)
  return bytes
}

/** The commit in the bytes; `place` says where they come from when they are not a commit. */
export function decodeCommit(bytes: Uint8Array, place: string): Commit {
  try {
    return CommitSchema.parse(
      JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()),
    )
  } catch (cause) {
    throw new PlatformError('bug', `${place} does not hold a commit`, {
      cause,
      remedy: 'find out who else writes there, then restore the stream from its archive',
    })
  }
}

function tooLarge(commit: Commit, sizeBytes: number): PlatformError {
  const sizes = commit.events.map((event) => encodedBytes(event))
  const index = sizes.indexOf(Math.max(...sizes))
  const event = commit.events[index]
  const field = `events[${index}].data${largestMember(event?.data)}`
  return new PlatformError(
    'invalid',
    `commit on ${commit.subject}: ${sizeBytes} bytes exceed ${maxCommitBytes}, most of them in ${field} (${event?.type ?? 'no event'})`,
    { field, remedy: 'store the content as a blob first and put its reference into the event' },
  )
}

function largestMember(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  let found = ''
  let most = -1
  for (const [name, member] of Object.entries(value)) {
    const size = encodedBytes(member)
    if (size > most) [found, most] = [name, size]
  }
  if (most < 0) return ''
  return Array.isArray(value) ? `[${found}]` : `.${found}`
}

function encodedBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value))
}
