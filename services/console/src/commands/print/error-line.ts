import { isPlatformError, toPlatformError } from '@sciencediscovery/kernel'
import type { ExitCode } from '../../context.js'

/** One line for people: what is wrong, with which field, and what to do. */
export function errorLine(thrown: unknown): string {
  const { code, message, details } = toPlatformError(thrown)
  const field =
    details.field === undefined || message.includes(details.field) ? '' : ` (${details.field})`
  const remedy = code === 'unauthenticated' ? tokenRemedy : details.remedy
  return `scid: ${message}${field}${remedy === undefined ? '' : ` -- ${remedy}`}`
}

const tokenRemedy = 'set SCIENCE_DISCOVERY_TOKEN to a token of that server'

/** What an error is to a shell. */
export function exitCodeOfError(thrown: unknown): ExitCode {
  if (!isPlatformError(thrown)) return 1
  if (thrown.code === 'invalid') return 2
  return thrown.code === 'cancelled' ? 130 : 1
}
