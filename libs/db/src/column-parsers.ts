import { PlatformError } from '@sciencediscovery/kernel'
import pg from 'pg'

/** Type numbers whose default reading differs between the two drivers, or loses digits. */
export const columnTypes = {
  int8: 20,
  int8Array: 1016,
  date: 1082,
  bytea: 17,
} as const

/** An int8 column as a number; refuses one that a number cannot hold rather than rounding it. */
export function parseInt8(text: string): number {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  throw new PlatformError('bug', `int8 value ${text} is beyond the safe integers`, {
    remedy: 'select the column as text',
  })
}

/** A date column as `2026-11-30`: a day has no time zone, so it is not a Date. */
export function parseDay(text: string): string {
  return text
}

/** A bytea column as a Buffer. */
export function parseBytea(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex')
}

/** An int8[] column, of one dimension, as numbers. */
export function parseInt8Array(text: string): readonly (number | null)[] {
  const inner = text.slice(1, -1)
  return inner === ''
    ? []
    : inner.split(',').map((part) => (part === 'NULL' ? null : parseInt8(part)))
}

/** By number: the driver's own list of types names no array. */
type SetParser = (typeNumber: number, format: 'text', parse: (text: string) => unknown) => void

/** The column parsers of node-postgres, with ours in front. */
export function createPgColumnTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  const set: SetParser = types.setTypeParser.bind(types)
  set(columnTypes.int8, 'text', parseInt8)
  set(columnTypes.int8Array, 'text', parseInt8Array)
  set(columnTypes.date, 'text', parseDay)
  return types
}
