const loneSurrogate = /\p{Surrogate}/gu
const hasEscape = /\\ud[89a-f]/i
// A backslash pair is consumed first, so that an escaped backslash before `ud83d` is left alone.
const escapes = /\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\ud[89a-f][0-9a-f]{2}/gi
const loneEscape = /^\\ud[89a-f][0-9a-f]{2}$/i

/** The text with each half of a surrogate pair made U+FFFD (BR-063). */
export function wellFormedText(text: string): string {
  return text.replace(loneSurrogate, '\uFFFD')
}

/** The JSON text with each escaped half of a surrogate pair made U+FFFD: one place for whole bodies. */
export function wellFormedJson(json: string): string {
  if (!hasEscape.test(json)) return json
  return json.replace(escapes, (found) => (loneEscape.test(found) ? '\\ufffd' : found))
}
