/** Removes secrets from text that a person or a log will see. */
export type Redact = (text: string) => string

const keyShaped = /\b(?:sk|key|xai|gsk)-[\w*.-]{6,}/gi
const bearer = /\bbearer\s+\S+/gi
const shortestPiece = 8

/**
 * A service may echo a key whole, or its beginning or end around asterisks, so pieces of
 * the secret are removed as well, and whatever looks like a key.
 */
export function createRedact(secret: string): Redact {
  const pieces = [secret, secret.slice(0, 16), secret.slice(-16), secret.slice(0, shortestPiece)]
  const wanted = pieces.filter((piece) => piece.length >= shortestPiece)
  const forms = wanted.flatMap((piece) => [piece, encodeURIComponent(piece)])
  return (text) =>
    forms
      .reduce((rest, form) => rest.replaceAll(form, '[secret]'), text)
      .replace(bearer, '[secret]')
      .replace(keyShaped, '[secret]')
}
