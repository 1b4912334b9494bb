import { invalid } from '@sciencediscovery/kernel'

/** A place in a physical stream: what a mutation returns, and what a query may wait for. */
export interface Position {
  readonly stream: string
  readonly sequence: number
}

const format = /^1\.([A-Za-z0-9_-]{1,64})\.([1-9][0-9]{0,15}|0)$/
const maxTokenLength = 128

/** The position as an opaque token that can stand in a URL. */
export function encodePosition({ stream, sequence }: Position): string {
  return Buffer.from(`1.${stream}.${sequence}`).toString('base64url')
}

/** The position of a token; anything else is `invalid` and names `min_position`. */
export function decodePosition(token: string): Position {
  const text =
    token.length > maxTokenLength ? '' : Buffer.from(token, 'base64url').toString('latin1')
  const [, stream, digits] = format.exec(text) ?? []
  const sequence = Number(digits)
  // Other spellings of the same bytes are refused too: a token has one form.
  if (
    stream === undefined ||
    !Number.isSafeInteger(sequence) ||
    encodePosition({ stream, sequence }) !== token
  ) {
    throw badPosition('is not a position')
  }
  return { stream, sequence }
}

/** The error of a position that cannot be waited for. */
export function badPosition(problem: string): Error {
  return invalid(
    'min_position',
    problem,
    'send a position as a mutation of this service returned it',
  )
}
