import { NatsError } from 'nats'
import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'

/** What the JetStream API says when it refuses. */
export interface ApiError {
  readonly code: number
  readonly err_code?: number | undefined
  readonly description?: string | undefined
}

/** Conflict on one server, and on a replicated stream while the winner is still on its way. */
const conflictCodes = new Set([10071, 10164])
const noSpaceCodes = new Set([10023, 10028, 10047, 10077, 10122])

/** A refusal of the API as our error. */
export function fromApiError(error: ApiError, what: string): PlatformError {
  const reason = `${error.description ?? 'no description'} (${error.err_code ?? error.code})`
  if (error.err_code !== undefined && conflictCodes.has(error.err_code)) {
    return new PlatformError('conflict', `${what}: somebody was faster`, { cause: error })
  }
  if (error.err_code !== undefined && noSpaceCodes.has(error.err_code)) {
    const remedy =
      'give the stream or the server more storage (max_bytes in streams.json, max_file_store of the server)'
    return new PlatformError('exhausted', `${what}: ${reason}`, {
      cause: error,
      remedy,
      retryAfterMs: 1_000,
    })
  }
  if (error.code === 404)
    return new PlatformError('not_found', `${what}: ${reason}`, { cause: error })
  if (error.code === 503)
    return new PlatformError('unavailable', `${what}: ${reason}`, { cause: error })
  return new PlatformError('bug', `${what}: ${reason}`, { cause: error })
}

/** A failure of a request that changes nothing: asking again is safe. */
export function fromReadFailure(error: unknown, what: string): PlatformError {
  if (isPlatformError(error)) return error
  const known = permissionError(error, what)
  if (known) return known
  return new PlatformError('unavailable', `${what}: ${textOf(error)}`, {
    cause: error,
    retryAfterMs: 200,
  })
}

/** A failure of a write: unless it surely was not sent, nobody knows whether it landed. */
export function fromWriteFailure(error: unknown, what: string): PlatformError {
  if (isPlatformError(error)) return error
  const known = permissionError(error, what)
  if (known) return known
  if (['CONNECTION_CLOSED', 'CONNECTION_DRAINING'].includes(codeOf(error))) {
    return new PlatformError('unavailable', `${what}: the connection is closed`, { cause: error })
  }
  return new PlatformError('unknown', `${what}: no answer (${textOf(error)})`, { cause: error })
}

/** Whether nobody listens on the subject asked. */
export function isNoResponders(error: unknown): boolean {
  return codeOf(error) === '503'
}

/** Whether the answer did not come in time. */
export function isTimeout(error: unknown): boolean {
  return codeOf(error) === 'TIMEOUT'
}

function permissionError(error: unknown, what: string): PlatformError | undefined {
  if (codeOf(error) !== 'PERMISSIONS_VIOLATION') return undefined
  return new PlatformError('forbidden', `${what}: the NATS user may not do this`, {
    cause: error,
    remedy:
      'say in deploy/nats/users.json what the service does on the bus, and make the permissions anew',
  })
}

/** The code that nats.js gave it; empty for anything else. */
function codeOf(error: unknown): string {
  return error instanceof NatsError ? error.code : ''
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
