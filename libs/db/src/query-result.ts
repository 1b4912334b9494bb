import { type PostgresCursor, type PostgresQueryResult } from 'kysely'
import { PlatformError } from '@sciencediscovery/kernel'

const commands = ['UPDATE', 'DELETE', 'INSERT', 'SELECT', 'MERGE', 'COMMIT', 'ROLLBACK'] as const

/** What both drivers answer. */
export interface DriverResult<R> {
  readonly command?: string
  readonly rowCount?: number | null
  readonly rows: R[]
}

/** A driver's answer as the query builder reads it: a command it does not count rows of is like a SELECT. */
export function toQueryResult<R>(result: DriverResult<R>): PostgresQueryResult<R> {
  const command = commands.find((known) => known === result.command) ?? 'SELECT'
  return { command, rowCount: result.rowCount ?? 0, rows: result.rows }
}

/**
 * The values as PostgreSQL can take them: its texts cannot hold NUL. It becomes U+FFFD, so that a text
 * from a person or a model neither stops a view for ever nor fails a query.
 */
export function toParameters(values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (typeof value === 'string') return withoutNul(value)
    return Array.isArray(value) ? toParameters(value) : value
  })
}

function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text
}

/** The statement's text; cursors, the port's other form, are not supported. */
export function statementText<R>(statement: string | PostgresCursor<R>): string {
  if (typeof statement === 'string') return statement
  throw new PlatformError('bug', 'database cursors are not supported', {
    remedy: 'page by key instead',
  })
}
