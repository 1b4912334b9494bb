import { type Migration } from '@sciencediscovery/db'
import { sql } from 'kysely'

/** What an execution made, what ran in a workspace at a time, and revisions by name: the way downstream. */
export const provenanceIndexes: Migration = {
  name: '20261201020100-provenance-indexes',
  up: async (db) => {
    await sql`create index run_file_changes_execution on run_file_changes (execution_id)`.execute(
      db,
    )
    for (const table of ['run_file_changes', 'workspace_file_changes'])
      await sql`create index ${sql.ref(`${table}_revision`)}
        on ${sql.table(table)} (revision_id)`.execute(db)
    await sql`create index provenance_executions_workspace
      on provenance_executions (workspace_id, started_at collate "C", effect_id)`.execute(db)
  },
  down: async (db) => {
    for (const table of ['run_file_changes', 'workspace_file_changes'])
      await sql`drop index if exists ${sql.ref(`${table}_revision`)}`.execute(db)
    await sql`drop index if exists provenance_executions_workspace`.execute(db)
    await sql`drop index if exists run_file_changes_execution`.execute(db)
  },
}
