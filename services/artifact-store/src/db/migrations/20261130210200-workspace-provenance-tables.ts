import { type Kysely, sql } from 'kysely'
import { createFileChanges } from './file-changes-table.js'

export async function createWorkspaceProvenanceTables(db: Kysely<unknown>): Promise<void> {
  await createFileChanges(db, 'workspace_file_changes')
  await sql`create table workspace_order (
    effect_id text primary key,
    workspace_id text not null,
    position integer not null)`.execute(db)
}
