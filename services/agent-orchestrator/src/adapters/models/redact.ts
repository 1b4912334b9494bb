/** Removes secrets from text that a person or a log will see. */
export type Redact = (text: string) => string

const keyShaped = /\b(?:sk|key|xai|gsk)-[\w*.-]{6,}/gi
const bearer = /\bbearer\s+\S+/gi
const shortestPiece = 6
const longestText = 2000

/**
 * A service may echo a key whole, or its beginning and end around asterisks, so every piece of the
 * secret is removed, and whatever looks like a key. Longer text is cut before it is looked at.
 */
export function createRedact(secret: string): Redact {
  return (text) =>
    withoutPieces(text.slice(0, longestText), secret)
      .replace(bearer, '[secret]')
      .replace(keyShaped, '[secret]')
}

function withoutPieces(text: string, secret: string): string {
  const kept: string[] = []
  for (let at = 0; at < text.length;) {
    const shared = sharedLength(text, at, secret)
    const isPiece = shared >= Math.min(shortestPiece, secret.length)
    kept.push(isPiece ? '[secret]' : text.charAt(at))
    at += isPiece ? shared : 1
  }
  return kept.join('')
}

/** How far the text from here is found somewhere in the secret. */
function sharedLength(text: string, at: number, secret: string): number {
  let length = 0
  while (at + length < text.length && secret.includes(text.slice(at, at + length + 1))) length += 1
  return length
}
