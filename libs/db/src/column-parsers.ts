import { PlatformError } from '@sciencediscovery/kernel'
import pg from 'pg'

/** Type numbers whose default reading differs between the two drivers, or loses digits. */
export const columnTypes = {
  int8: 20,
  int8Array: 1016,
  date: 1082,
  bytea: 17,
  textArray: 1009,
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

type ColumnParser = (text: string) => unknown

function parseInt8Array(text: string): unknown {
  const parts: unknown = parserOf(columnTypes.textArray)(text)
  return Array.isArray(parts)
    ? parts.map((part) => (typeof part === 'string' ? parseInt8(part) : null))
    : parts
}

const overrides = new Map<number, ColumnParser>([
  [columnTypes.int8, parseInt8],
  [columnTypes.int8Array, parseInt8Array],
  [columnTypes.date, parseDay],
])

function parserOf(typeNumber: number): ColumnParser {
  return pg.types.getTypeParser(typeNumber, 'text')
}

/** The column parsers of node-postgres, with ours in front. */
export const pgColumnTypes: pg.CustomTypesConfig = {
  getTypeParser: (typeNumber: number) => overrides.get(typeNumber) ?? parserOf(typeNumber),
}
