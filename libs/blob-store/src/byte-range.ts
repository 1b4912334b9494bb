import { invalid } from '@sciencediscovery/kernel'

/** Which bytes to read; to the end when `length` is not given. */
export interface ByteRange {
  readonly offset?: number
  readonly length?: number
}

/** A range with its offset known. */
export interface ParsedRange {
  readonly offset: number
  readonly length: number | undefined
  /** The whole blob: only then the bytes can be checked against the digest. */
  readonly whole: boolean
}

/** The range, or `invalid` naming the member that is not a count of bytes. */
export function parseRange({ offset = 0, length }: ByteRange): ParsedRange {
  refuseUncountable('offset', offset)
  if (length !== undefined) refuseUncountable('length', length)
  return { offset, length, whole: offset === 0 && length === undefined }
}

function refuseUncountable(field: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return
  throw invalid(field, `${value} is not a number of bytes`, 'send a whole number from 0')
}
