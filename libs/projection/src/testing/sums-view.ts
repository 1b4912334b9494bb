import { checkpointMigration, type Database, type Log, migrate } from '@sciencediscovery/db'
import { type Kysely, sql } from 'kysely'
import { type View, viewMigrations } from '../view.js'

/** The tables of the view that the tests of this lib run. */
export interface SumsSchema {
  readonly sums: { readonly subject: string; readonly total: number; readonly last_version: number }
  readonly sum_steps: {
    readonly commit_id: string
    readonly subject: string
    readonly sequence: number
  }
}

const tables = ['sums', 'sum_steps'] as const

async function makeTables(db: Kysely<unknown>): Promise<void> {
  await sql`create table sums (subject text primary key, total bigint not null, last_version bigint not null)`.execute(
    db,
  )
  await sql`create table sum_steps (commit_id text primary key, subject text not null, sequence bigint not null)`.execute(
    db,
  )
}

/**
 * A view that shows every mistake of its reader: a commit applied twice breaks a key, one left out or out
 * of order breaks the version check.
 */
export function sumsView(name = 'sums', noun = 'runs'): View<SumsSchema> {
  return {
    name,
    noun,
    tables,
    up: makeTables,
    apply: async (tx, { commit, sequence }) => {
      const step = { commit_id: commit.commitId, subject: commit.subject, sequence }
      await tx.insertInto('sum_steps').values(step).execute()
      const row = { subject: commit.subject, total: 1, last_version: commit.version }
      const { rows } = await sql`insert into sums ${sql.raw('(subject, total, last_version)')}
        values (${row.subject}, 1, ${row.last_version})
        on conflict (subject) do update set total = sums.total + 1, last_version = excluded.last_version
        where sums.last_version = excluded.last_version - 1 returning 1`.execute(tx)
      if (rows.length === 0)
        throw new Error(`version ${commit.version} of ${commit.subject} is out of order`)
    },
  }
}

/** Makes the tables of the view and its checkpoints. */
export async function prepare(
  database: Database<SumsSchema>,
  view: View<SumsSchema>,
): Promise<void> {
  await migrate(database, [checkpointMigration, ...viewMigrations([view])])
}

/** Says nothing. */
export const quiet: Log = { info: () => undefined, warn: () => undefined, error: () => undefined }
