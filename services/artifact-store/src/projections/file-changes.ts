import {
  FileChangeSchema,
  type FileChange,
  type WorkspaceChanged,
} from '@sciencediscovery/run-events'
import { sql, type Transaction } from 'kysely'
import { type ArtifactStoreTables, type FileChangesTable } from '../db/schema.js'
import { agentOfWorkspace } from '../domain/provenance/places.js'
import { itemsOf, type StoredLists } from './placed-event.js'
import { fileIdOf, pathHashOf, revisionIdOf, storable, storableKey } from './storable.js'

/** Rows go over as one JSON parameter, which is far quicker than a parameter for each value; so many fit well. */
const rowsPerStatement = 5_000

/** Where a change was stated, and on behalf of what. */
export interface ChangeSource {
  readonly table: 'run_file_changes' | 'workspace_file_changes'
  readonly projectId: string
  readonly runId: string
  readonly eventStream: string
  readonly eventPosition: number
}

/** One row per changed path. Several streams may state one change: the least place is kept, so that their order does not matter. */
export async function writeFileChanges(
  tx: Transaction<ArtifactStoreTables>,
  changed: WorkspaceChanged['data'],
  source: ChangeSource,
  lists: StoredLists,
): Promise<void> {
  const changes = await itemsOf(changed.changes, FileChangeSchema, lists)
  if (changes === undefined) return
  // Two names that differ only in bytes that are no text would be one row twice.
  const rows = new Map(
    changes.map((change) => [storable(change.path), rowOf(change, changed, source)]),
  )
  const all = [...rows.values()]
  for (let at = 0; at < all.length; at += rowsPerStatement)
    await upsert(tx, source.table, all.slice(at, at + rowsPerStatement))
}

function rowOf(
  change: FileChange,
  changed: WorkspaceChanged['data'],
  source: ChangeSource,
): FileChangesTable {
  return {
    effect_id: storableKey(changed.effectId),
    file_id: fileIdOf(changed.workspaceId, change.path),
    path: storable(change.path),
    path_hash: pathHashOf(change.path),
    revision_id: revisionIdOf(changed.effectId, change.path),
    project_id: source.projectId,
    workspace_id: changed.workspaceId,
    agent_id: agentOfWorkspace(changed.workspaceId),
    change: change.change,
    sha256: change.sha256 ?? null,
    previous_sha256: change.previousSha256 ?? null,
    origin: changed.origin,
    call_id: storableKey(changed.callId),
    run_id: source.runId,
    execution_id: changed.executionId,
    at: changed.at,
    event_stream: source.eventStream,
    event_position: source.eventPosition,
  }
}

async function upsert(
  tx: Transaction<ArtifactStoreTables>,
  table: ChangeSource['table'],
  rows: readonly FileChangesTable[],
): Promise<void> {
  const target = sql.table(table)
  await sql`
    insert into ${target} as kept
    select * from json_populate_recordset(null::${target}, ${JSON.stringify(rows)}::json)
    on conflict (effect_id, file_id) do update set
      run_id = excluded.run_id,
      event_stream = excluded.event_stream,
      event_position = excluded.event_position
    where (excluded.event_stream, excluded.event_position) < (kept.event_stream, kept.event_position)
  `.execute(tx)
}
