import { isPlatformError, PlatformError, toPlatformError } from '@sciencediscovery/kernel'
import type { ExitCode } from '../../context.js'

/** One line for people: what is wrong, with which field, and what to do. */
export function errorLine(thrown: unknown): string {
  const { code, message, details } = readable(thrown)
  const field =
    details.field === undefined || message.includes(details.field) ? '' : ` (${details.field})`
  const remedy = code === 'unauthenticated' ? tokenRemedy : details.remedy
  return `scid: ${message}${field}${remedy === undefined ? '' : ` -- ${remedy}`}`
}

/** What went wrong in this very process is no secret to the one who runs it. */
function readable(thrown: unknown): PlatformError {
  if (isPlatformError(thrown) || !(thrown instanceof Error)) return toPlatformError(thrown)
  return new PlatformError('bug', `internal error: ${thrown.message}`, { cause: thrown })
}

const tokenRemedy = 'set SCIENCE_DISCOVERY_TOKEN to a token of that server'

/** What an error is to a shell. */
export function exitCodeOfError(thrown: unknown): ExitCode {
  if (!isPlatformError(thrown)) return 1
  if (thrown.code === 'invalid') return 2
  return thrown.code === 'cancelled' ? 130 : 1
}
