/** Takes known secrets out of a text. */
export type Redact = (text: string) => string

const replacement = '[redacted]'
const shortestSecret = 4
const shortestFragment = 8

/**
 * Replaces the given secret values wherever they stand in a text: as they are, in JSON, URL-encoded, in
 * hexadecimal, and in base64 at any offset (`user:secret` too). Values under four characters are not
 * looked for: they would take half the text with them.
 */
export function secretRedactor(values: Iterable<string>): Redact {
  const forms = new Set<string>()
  for (const value of values) {
    if (value.length >= shortestSecret) for (const form of formsOf(value)) forms.add(form)
  }
  if (forms.size === 0) return (text) => text
  // The longest first: a secret may hold another one.
  const longestFirst = [...forms].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(longestFirst.map(escapeForPattern).join('|'), 'g')
  return (text) => text.replace(pattern, replacement)
}

/** The same value with every string in it redacted, keys included. */
export function redactDeep(redact: Redact, value: unknown): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item: unknown) => redactDeep(redact, item))
  if (typeof value !== 'object' || value === null) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const entries = Object.entries(value).map(
    ([key, item]: [string, unknown]) => [redact(key), redactDeep(redact, item)] as const,
  )
  return Object.fromEntries<unknown>(entries)
}

function formsOf(value: string): string[] {
  const inJson = JSON.stringify(value).slice(1, -1)
  const inUrl = encodeURIComponent(value)
  const inForm = inUrl.replaceAll('%20', '+')
  const hex = Buffer.from(value).toString('hex')
  const lower = (text: string): string =>
    text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  return [
    ...[value, inJson, inUrl, inForm, lower(inUrl), lower(inForm)],
    ...[hex, hex.toUpperCase()],
    ...base64Fragments(value),
  ]
}

/**
 * What base64 makes of the value depends on how many bytes stand before it, modulo three. Per offset,
 * the characters that depend on the value alone.
 */
function base64Fragments(value: string): string[] {
  const bytes = Buffer.from(value)
  const whole = [bytes.toString('base64'), bytes.toString('base64url')]
  const fragments = [0, 1, 2].flatMap((offset) => {
    const before = Buffer.alloc(offset)
    const firstOwn = Math.ceil((offset * 8) / 6)
    const endOwn = Math.floor(((offset + bytes.length) * 8) / 6)
    const shifted = Buffer.concat([before, bytes])
    return [shifted.toString('base64'), shifted.toString('base64url')].map((text) =>
      text.slice(firstOwn, endOwn),
    )
  })
  return [...whole, ...fragments.filter(({ length }) => length >= shortestFragment)]
}

function escapeForPattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
