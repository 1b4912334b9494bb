import { type ErrorCode, isPlatformError, PlatformError } from '@sciencediscovery/kernel'

const retryAfterMs = 1_000
const accessRemedy = 'check the credentials and what they may do in the bucket'

interface Meaning {
  readonly code: ErrorCode
  readonly remedy?: string
}

const unreachable: Meaning = {
  code: 'unavailable',
  remedy: 'check that the object store can be reached',
}

const byName = new Map<string, Meaning>([
  ['AbortError', { code: 'deadline' }],
  ['TimeoutError', { code: 'deadline' }],
  ['NoSuchBucket', { code: 'unavailable', remedy: 'create the bucket, or correct its name' }],
])

const byStatus = new Map<number, Meaning>([
  [401, { code: 'unavailable', remedy: accessRemedy }],
  [403, { code: 'unavailable', remedy: accessRemedy }],
  [404, { code: 'not_found' }],
  [429, { code: 'unavailable', remedy: 'try again later' }],
])

/** An error of the object store in our own terms. */
export function fromS3Error(error: unknown, what: string): PlatformError {
  if (isPlatformError(error)) return error
  const { code, remedy } = meaningOf(error)
  const text = error instanceof Error ? `${what}: ${error.message}` : `${what}: failed`
  return new PlatformError(code, text, {
    cause: error,
    ...(remedy === undefined ? {} : { remedy }),
    ...(code === 'unavailable' ? { retryAfterMs } : {}),
  })
}

function meaningOf(error: unknown): Meaning {
  const named = error instanceof Error ? byName.get(error.name) : undefined
  const status = statusOf(error)
  if (named !== undefined) return named
  if (status === undefined) return unreachable
  const known = byStatus.get(status)
  return (
    known ?? (status >= 500 ? { code: 'unavailable', remedy: 'try again later' } : { code: 'bug' })
  )
}

/** Whether the asked-for range begins after the end of the object. */
export function isBeyondEnd(error: unknown): boolean {
  return statusOf(error) === 416
}

/** The HTTP status the store answered with; undefined when there was no answer. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('$metadata' in error)) return undefined
  const { $metadata } = error
  if (typeof $metadata !== 'object' || $metadata === null || !('httpStatusCode' in $metadata))
    return undefined
  return typeof $metadata.httpStatusCode === 'number' ? $metadata.httpStatusCode : undefined
}
