import { type Page } from '../../handlers/views.js'
import { encodePageToken } from './page-token.js'

/** A page of rows from a query that asked for one more than the page holds. */
export function toPage<Row, Shown>(
  rows: readonly Row[],
  pageSize: number,
  keyOf: (row: Row) => readonly (string | number)[],
  show: (row: Row) => Shown,
): Page<Shown> {
  const shown = rows.slice(0, pageSize)
  const last = shown.at(-1)
  const nextPageToken =
    rows.length > pageSize && last !== undefined ? encodePageToken(keyOf(last)) : ''
  return { rows: shown.map(show), nextPageToken }
}
