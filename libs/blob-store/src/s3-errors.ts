import { isPlatformError, PlatformError } from '@sciencediscovery/kernel'

const retryAfterMs = 1_000
const accessRemedy = 'check the credentials and what they may do in the bucket'

/** An error of the object store in our own terms. */
export function fromS3Error(error: unknown, what: string): PlatformError {
  if (isPlatformError(error)) return error
  const name = error instanceof Error ? error.name : ''
  const text = `${what}: ${error instanceof Error ? error.message : 'failed'}`
  if (name === 'AbortError' || name === 'TimeoutError')
    return new PlatformError('deadline', text, { cause: error })
  if (name === 'NoSuchBucket')
    return unavailable(text, error, 'create the bucket, or correct its name')
  const status = statusOf(error)
  if (status === undefined)
    return unavailable(text, error, 'check that the object store can be reached')
  if (status === 404) return new PlatformError('not_found', `${what} not found`, { cause: error })
  if (status === 401 || status === 403) return unavailable(text, error, accessRemedy)
  if (status === 429 || status >= 500) return unavailable(text, error, 'try again later')
  return new PlatformError('bug', text, { cause: error })
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

function unavailable(text: string, cause: unknown, remedy: string): PlatformError {
  return new PlatformError('unavailable', text, { cause, remedy, retryAfterMs })
}
