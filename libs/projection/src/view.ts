import { type Migration } from '@sciencediscovery/db'
import { type StoredCommit } from '@sciencediscovery/event-store'
import { type Kysely, sql, type Transaction } from 'kysely'

/**
 * Tables that are computed from streams and can be dropped and computed again. A view is replaced,
 * not migrated: give the new one a new name and new tables, and drop the old.
 */
export interface View<Schema> {
  /** Unique in the schema, `plan` or `plan_2`. */
  readonly name: string
  /** The noun whose streams are read: `runs`, `sessions` … */
  readonly noun: string
  /** Every table it writes, in an order in which they can be made. No other view writes them. */
  readonly tables: readonly string[]
  /** Makes the tables. */
  readonly up: (db: Kysely<unknown>) => Promise<void>
  /**
   * Writes what the commit changes, through `tx` only. It is called once per commit, in the order of the
   * physical stream; streams come in any order among each other. Equal commits must give equal rows.
   */
  readonly apply: (tx: Transaction<Schema>, commit: StoredCommit) => Promise<void>
}

/** What of a view does not depend on the schema's type. */
export type ViewTables = Pick<View<unknown>, 'name' | 'noun' | 'tables'>

/** The migrations that make the views' tables; they follow `checkpointMigration` in the service's list. */
export function viewMigrations(
  views: readonly Pick<View<unknown>, 'name' | 'tables' | 'up'>[],
): readonly Migration[] {
  return views.map((view) => ({
    name: `view-${view.name}`,
    up: view.up,
    down: async (db) => {
      for (const table of view.tables.toReversed())
        await sql`drop table ${sql.table(table)}`.execute(db)
    },
  }))
}
