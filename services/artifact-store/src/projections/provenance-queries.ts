import { type Kysely, sql } from 'kysely'
import { type ArtifactStoreTables } from '../db/schema.js'
import { type CallFact } from '../domain/provenance/activity.js'
import { type FileChangeFact } from '../domain/provenance/history.js'
import { fileIdOf, pathHashOf, storable, storableKey } from './storable.js'

type Db = Kysely<ArtifactStoreTables>

/** A path of a workspace. */
export interface FilePlace {
  readonly workspaceId: string
  readonly path: string
}

/** A content at a place. */
export interface PlacedContent extends FilePlace {
  readonly sha256: string
}

/** The changes of many files at once, by file id. */
export async function changesOfFiles(
  db: Db,
  files: readonly FilePlace[],
): Promise<ReadonlyMap<string, readonly FileChangeFact[]>> {
  const fileIds = [...new Set(files.map(({ workspaceId, path }) => fileIdOf(workspaceId, path)))]
  const found = new Map<string, FileChangeFact[]>(fileIds.map((fileId) => [fileId, []]))
  if (fileIds.length === 0) return found
  const rows = await db
    .with('changes', (query) =>
      query
        .selectFrom('run_file_changes')
        .selectAll()
        .where('file_id', 'in', fileIds)
        .unionAll(
          query.selectFrom('workspace_file_changes').selectAll().where('file_id', 'in', fileIds),
        ),
    )
    .selectFrom('changes')
    .leftJoin('workspace_order', 'workspace_order.effect_id', 'changes.effect_id')
    .leftJoin('file_moves as came', (join) =>
      join
        .onRef('came.effect_id', '=', 'changes.effect_id')
        .onRef('came.to_file_id', '=', 'changes.file_id'),
    )
    .leftJoin('file_moves as went', (join) =>
      join
        .onRef('went.effect_id', '=', 'changes.effect_id')
        .onRef('went.from_file_id', '=', 'changes.file_id'),
    )
    .selectAll('changes')
    .select(['came.from_path as moved_from', 'went.to_path as moved_to'])
    .select('workspace_order.position as workspace_position')
    .execute()
  for (const row of rows) found.get(row.file_id)?.push(toChangeFact(row))
  return found
}

type ChangeRow = ArtifactStoreTables['run_file_changes'] & {
  readonly workspace_position: number | null
  readonly moved_from: string | null
  readonly moved_to: string | null
}

function toChangeFact(row: ChangeRow): FileChangeFact {
  return {
    revisionId: row.revision_id,
    effectId: row.effect_id,
    workspaceId: row.workspace_id,
    path: row.path,
    change: row.change === 'deleted' || row.change === 'created' ? row.change : 'modified',
    sha256: row.sha256,
    previousSha256: row.previous_sha256,
    movedFrom: row.moved_from,
    movedTo: row.moved_to,
    origin: row.origin,
    callId: row.call_id,
    runId: row.run_id,
    executionId: row.execution_id,
    at: row.at,
    order: row.workspace_position,
    event: { stream: row.event_stream, position: row.event_position },
  }
}

/** Ends of executions, the earliest one each. */
export async function executionsById(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ArtifactStoreTables['provenance_executions']>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('provenance_executions')
    .selectAll()
    .where('execution_id', 'in', ids)
    .orderBy('finished_at', 'desc')
    .orderBy('effect_id', 'desc')
    .execute()
  return new Map(rows.map((row) => [row.execution_id, row]))
}

/** Key of a call among `callsByKey`. */
export function callKeyOf(runId: string, callId: string): string {
  return `${runId}\n${storableKey(callId)}`
}

/** Tool calls, by `callKeyOf`. */
export async function callsByKey(
  db: Db,
  calls: readonly { readonly runId: string; readonly callId: string }[],
): Promise<ReadonlyMap<string, CallFact>> {
  if (calls.length === 0) return new Map()
  const pairs = calls.map(({ runId, callId }) => sql`(${runId}, ${storableKey(callId)})`)
  const rows = await db
    .selectFrom('provenance_calls')
    .selectAll()
    .where(sql<boolean>`(run_id, call_id) in (${sql.join(pairs)})`)
    .execute()
  return new Map(
    rows.map((row) => [
      callKeyOf(row.run_id, row.call_id),
      {
        runId: row.run_id,
        callId: row.call_id,
        name: row.name,
        outcome: row.outcome,
        event: { stream: `runs/${row.run_id}`, position: row.position },
      },
    ]),
  )
}

/** A workspace in which a path was changed, and when last. */
export interface PathSighting {
  readonly workspaceId: string
  readonly agentId: string
  readonly lastChangedAt: string
}

/** All workspaces of a project in which the path was ever changed. */
export async function workspacesWithPath(
  db: Db,
  projectId: string,
  path: string,
): Promise<readonly PathSighting[]> {
  const hash = pathHashOf(path)
  const sightings = (table: 'run_file_changes' | 'workspace_file_changes') =>
    db
      .selectFrom(table)
      .select(['workspace_id', 'agent_id', (eb) => eb.fn.max('at').as('last_changed_at')])
      .where('project_id', '=', projectId)
      .where('path_hash', '=', hash)
      .where('path', '=', storable(path))
      .groupBy(['workspace_id', 'agent_id'])
      .execute()
  const rows = [
    ...(await sightings('run_file_changes')),
    ...(await sightings('workspace_file_changes')),
  ]
  return rows.map((row) => ({
    workspaceId: row.workspace_id,
    agentId: row.agent_id,
    lastChangedAt: row.last_changed_at,
  }))
}
