/** The closed list of ways to fail. `libs/service-kit` maps it to gRPC status codes, both ways. */
export const errorCodes = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'already_exists',
  'refused',
  'conflict',
  'exhausted',
  'unavailable',
  'unknown',
  'deadline',
  'cancelled',
  'bug',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** What a caller needs to act on an error. */
export interface ErrorDetails {
  /** The field that is wrong, as the caller spells it: `plan[3].step`. */
  readonly field?: string
  /** What to send or do instead. */
  readonly remedy?: string
  /** How long to wait before trying again, in milliseconds. */
  readonly retryAfterMs?: number
  /** A stable reason below the code, for machines: `workspace_busy`. */
  readonly reason?: string
}

/** The one error class. Test by `code`, never by message. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(
    code: ErrorCode,
    message: string,
    options: ErrorDetails & { readonly cause?: unknown } = {},
  ) {
    const { cause, ...details } = options
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
  }
}

/** Whether this is our error; works across copies of this module. */
export function isPlatformError(error: unknown): error is PlatformError {
  return error instanceof Error && error.name === 'PlatformError' && 'code' in error
}

/** Our error as it is; anything else as a `bug` that keeps the cause for the log. */
export function toPlatformError(error: unknown): PlatformError {
  return isPlatformError(error)
    ? error
    : new PlatformError('bug', 'internal error', { cause: error })
}

/** The domain says no in this state. */
export function refused(message: string, details: ErrorDetails = {}): PlatformError {
  return new PlatformError('refused', message, details)
}

/** The input is wrong: names the field and what to send instead. */
export function invalid(field: string, message: string, remedy?: string): PlatformError {
  return new PlatformError(
    'invalid',
    `${field}: ${message}`,
    remedy === undefined ? { field } : { field, remedy },
  )
}

/** The named thing is missing, or not visible to the caller: both answer the same. */
export function notFound(what: string): PlatformError {
  return new PlatformError('not_found', `${what} not found`)
}
