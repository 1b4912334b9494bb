import { Metadata, type status } from '@grpc/grpc-js'
import { errorCodes, toPlatformError, type ErrorDetails } from '@sciencediscovery/kernel'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { fromStatusCode, toStatusCode } from './error-table.js'

/** A refusal as gRPC carries it. */
export interface ErrorStatus {
  readonly code: status
  readonly details: string
  readonly metadata: Metadata
}

const trailerKey = 'platform-error-bin'
const longestMessage = 4_096
const longestDetail = 1_024

const TrailerSchema = z.object({
  code: z.enum(errorCodes),
  field: z.string().optional(),
  remedy: z.string().optional(),
  reason: z.string().optional(),
  retryAfterMs: z.number().optional(),
})

/** What the caller is told: our own errors in full, anything else only as `internal error`. */
export function toErrorStatus(thrown: unknown): ErrorStatus {
  const error = toPlatformError(thrown)
  const internal = error.code === 'bug'
  const metadata = new Metadata()
  const trailer = internal ? { code: error.code } : { code: error.code, ...shorten(error.details) }
  metadata.set(trailerKey, Buffer.from(JSON.stringify(trailer)))
  return {
    code: toStatusCode(error.code),
    details: internal ? 'internal error' : toText(error.message, longestMessage),
    metadata,
  }
}

/** The error that a status stands for; without our trailer, what its text lets us know. */
export function fromErrorStatus(answer: ErrorStatus): PlatformError {
  const trailer = parseTrailer(answer.metadata)
  if (trailer && toStatusCode(trailer.code) === answer.code) {
    return new PlatformError(trailer.code, answer.details, present(trailer))
  }
  return fromForeignStatus(answer)
}

function fromForeignStatus(answer: ErrorStatus): PlatformError {
  const sizes = /larger than (?:max \((\d+) vs\.? (\d+)\)|(\d+))/.exec(answer.details)
  const limit = sizes?.[2] ?? sizes?.[3]
  if (limit !== undefined) return messageTooLarge('message', Number(limit), sizes?.[1])
  const code = fromStatusCode(answer.code)
  // The stream broke below gRPC: whether the call took effect cannot be known.
  if (code === 'bug' && answer.details.includes('RST_STREAM')) {
    return new PlatformError('unknown', answer.details)
  }
  return new PlatformError(code, answer.details)
}

/** A message over the size limit of a server or channel. */
export function messageTooLarge(
  what: string,
  limitBytes: number,
  sizeBytes?: number | string,
): PlatformError {
  const size = sizeBytes === undefined ? '' : ` of ${sizeBytes} bytes`
  return new PlatformError('exhausted', `${what}${size} exceeds the limit of ${limitBytes} bytes`, {
    reason: 'message_too_large',
    remedy: `keep each message at or below ${limitBytes} bytes: use a stream, a page or a blob reference`,
  })
}

function parseTrailer(metadata: Metadata): z.infer<typeof TrailerSchema> | undefined {
  const [bytes] = metadata.get(trailerKey)
  if (bytes === undefined) return undefined
  try {
    return TrailerSchema.safeParse(JSON.parse(bytes.toString())).data
  } catch {
    return undefined
  }
}

type Optional<T> = { readonly [Name in keyof T]: T[Name] | undefined }

function present(details: Optional<ErrorDetails>): ErrorDetails {
  const { field, remedy, reason, retryAfterMs } = details
  return {
    ...(field !== undefined && { field }),
    ...(remedy !== undefined && { remedy }),
    ...(reason !== undefined && { reason }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

function shorten(details: ErrorDetails): ErrorDetails {
  const { field, remedy, reason, retryAfterMs } = details
  const cut = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : toText(text, longestDetail)
  return present({ field: cut(field), remedy: cut(remedy), reason: cut(reason), retryAfterMs })
}

/**
 * Cut to size and well formed: a lone surrogate makes grpc-js throw while it sends the status,
 * outside every handler, and that would end the process.
 */
function toText(text: string, longest: number): string {
  return Buffer.from(text.slice(0, longest), 'utf8').toString('utf8')
}
