import { type AnyDatabase } from '@sciencediscovery/db'
import { sql } from 'kysely'

/** A hash per table that is equal when the rows are, in whatever order they lie. */
export async function hashOfTables(
  database: AnyDatabase,
  tables: readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const hashes: Record<string, string> = {}
  for (const table of tables) {
    const { rows } = await sql<{ hash: string }>`
      select count(*) || ':' || md5(coalesce(string_agg(row_hash, '' order by row_hash), '')) as hash
      from (select md5(to_jsonb(t)::text) as row_hash from ${sql.table(table)} t) hashed`.execute(
      database.untyped,
    )
    hashes[table] = rows[0]?.hash ?? ''
  }
  return hashes
}
