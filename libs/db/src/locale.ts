import { PlatformError } from '@sciencediscovery/kernel'
import { type Kysely, sql } from 'kysely'

interface Locale {
  readonly encoding: string
  readonly ctype: string
  /** c = the C library, i = ICU, b = built in; null before PostgreSQL 15. */
  readonly provider: string | null
  readonly builtin: string | null
}

const remedy =
  "create it with: create database NAME template template0 encoding 'UTF8' lc_ctype 'C.UTF-8' lc_collate 'C'"

/** Refuses a database in which `lower` and text search would not know letters beyond ASCII. */
export async function refuseAsciiLocale(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<Locale>`
    select pg_encoding_to_char(encoding) as encoding, datctype as ctype,
      to_jsonb(d)->>'datlocprovider' as provider, to_jsonb(d)->>'datlocale' as builtin
    from pg_database d where datname = current_database()`.execute(db)
  const problem = rows[0] === undefined ? undefined : problemOf(rows[0])
  if (problem !== undefined)
    throw new PlatformError('unavailable', `the database has ${problem}`, {
      remedy,
      reason: 'bad_locale',
    })
}

function problemOf({ encoding, ctype, provider, builtin }: Locale): string | undefined {
  if (encoding !== 'UTF8') return `encoding ${encoding}`
  if (provider === 'i') return undefined
  const letters = provider === 'b' && builtin !== null ? builtin : ctype
  return letters === 'C' || letters === 'POSIX' ? `lc_ctype ${letters}` : undefined
}
