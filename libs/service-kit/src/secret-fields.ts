import type { LogFields } from './logger.js'

const secretName =
  /^(?:key|pass|authorization|cookie)$|(?:token|secret|password|passphrase|credentials?|(?:api|private|access|signing|encryption|secret)[-_]?key)$/i
const deepest = 6
const hidden = '[redacted]'

/** The fields with the text of everything that is called like a secret hidden; numbers stay: token counts are no secrets. */
export function hideSecretFields(fields: LogFields): Record<string, unknown> {
  return hideIn(fields, 0)
}

function hideIn(fields: LogFields, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) shown[name] = hide(name, value, depth)
  return shown
}

function hide(name: string, value: unknown, depth: number): unknown {
  if (typeof value === 'string') return secretName.test(name) ? hidden : value
  if (depth >= deepest) return typeof value === 'object' && value !== null ? '[deep]' : value
  if (Array.isArray(value)) return value.map((item: unknown) => hide(name, item, depth + 1))
  return isPlain(value) ? hideIn(value, depth + 1) : value
}

/** Errors, buffers and the like keep their own way of being logged. */
function isPlain(value: unknown): value is LogFields {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
