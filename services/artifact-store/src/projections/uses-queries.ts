import { type Kysely, sql } from 'kysely'
import {
  type ArtifactStoreTables,
  type ExecutionInputsTable,
  type FileChangesTable,
  type FileMovesTable,
} from '../db/schema.js'
import { type FilePlace, type PlacedContent } from './provenance-queries.js'
import { fileIdOf } from './storable.js'

type Db = Kysely<ArtifactStoreTables>

/** Where a page of uses goes on. */
export interface UsePlace {
  readonly startedAt: string
  readonly effectId: string
}

/** The executions that are known to have taken one of the contents, oldest first. */
export async function usesOf(
  db: Db,
  contents: readonly PlacedContent[],
  { after, limit }: { readonly after: UsePlace | undefined; readonly limit: number },
): Promise<readonly ExecutionInputsTable[]> {
  if (contents.length === 0) return []
  const pairs = contents.map(
    ({ workspaceId, path, sha256 }) => sql`(${fileIdOf(workspaceId, path)}, ${sha256})`,
  )
  return db
    .selectFrom('execution_inputs')
    .selectAll()
    .where(sql<boolean>`(file_id, sha256) in (${sql.join(pairs)})`)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(started_at, effect_id) > (${after?.startedAt ?? ''}, ${after?.effectId ?? ''})`,
      ),
    )
    .orderBy('started_at')
    .orderBy('effect_id')
    .orderBy('file_id')
    .limit(limit)
    .execute()
}

/** The moves away from places. */
export async function movesFrom(
  db: Db,
  places: readonly FilePlace[],
): Promise<readonly FileMovesTable[]> {
  const fileIds = [...new Set(places.map(({ workspaceId, path }) => fileIdOf(workspaceId, path)))]
  if (fileIds.length === 0) return []
  return db.selectFrom('file_moves').selectAll().where('from_file_id', 'in', fileIds).execute()
}

/** A file that an execution made, one of so many. */
export type OutputRow = Pick<
  FileChangesTable,
  'execution_id' | 'workspace_id' | 'path' | 'sha256' | 'revision_id'
> & { readonly total: number }

/** What executions made, the first ones by path each; what they only moved is left out. */
export async function outputsOf(
  db: Db,
  executionIds: readonly string[],
  perExecution: number,
): Promise<readonly OutputRow[]> {
  if (executionIds.length === 0) return []
  return db
    .with('made', (query) =>
      query
        .selectFrom('run_file_changes as c')
        .select(['c.execution_id', 'c.workspace_id', 'c.path', 'c.sha256', 'c.revision_id'])
        .select([
          sql<number>`row_number() over (partition by c.execution_id order by c.path_hash)`.as(
            'place',
          ),
          sql<number>`count(*) over (partition by c.execution_id)`.as('total'),
        ])
        .where('c.execution_id', 'in', executionIds)
        .where('c.sha256', 'is not', null)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('file_moves as m')
                .select('m.effect_id')
                .whereRef('m.effect_id', '=', 'c.effect_id')
                .whereRef('m.to_file_id', '=', 'c.file_id'),
            ),
          ),
        ),
    )
    .selectFrom('made')
    .select(['execution_id', 'workspace_id', 'path', 'sha256', 'revision_id', 'total'])
    .where('place', '<=', perExecution)
    .orderBy('execution_id')
    .orderBy('place')
    .execute()
}

/** When a content was in its workspace. */
export interface Presence extends PlacedContent {
  readonly from: string
  /** undefined while it still is. */
  readonly until: string | undefined
}

/** An execution that could have read a content: it was there, and nothing says that it was taken. */
export interface PossibleUse {
  readonly executionId: string
  readonly total: number
}

/** The executions that started while a content was there, without those that are known to have taken it. */
export async function possibleUsesOf(
  db: Db,
  { workspaceId, path, sha256, from, until }: Presence,
  limit: number,
): Promise<readonly PossibleUse[]> {
  const started = sql`e.started_at collate "C"`
  const rows = await db
    .selectFrom('provenance_executions as e')
    .select(['e.execution_id', sql<number>`count(*) over ()`.as('total')])
    .where('e.workspace_id', '=', workspaceId)
    .where(sql<boolean>`${started} >= ${from}`)
    .$if(until !== undefined, (query) => query.where(sql<boolean>`${started} < ${until ?? ''}`))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('execution_inputs as i')
            .select('i.effect_id')
            .whereRef('i.effect_id', '=', 'e.effect_id')
            .where('i.file_id', '=', fileIdOf(workspaceId, path))
            .where('i.sha256', '=', sha256),
        ),
      ),
    )
    .orderBy(started)
    .orderBy('e.effect_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ executionId: row.execution_id, total: row.total }))
}

/** Which of the executions lost their inputs, and which of the workspaces a list of changes. */
export async function lossesAmong(
  db: Db,
  effectIds: readonly string[],
  workspaceIds: readonly string[],
): Promise<{ readonly inputs: ReadonlySet<string>; readonly changes: ReadonlySet<string> }> {
  const rows = await db
    .selectFrom('lost_lists')
    .select(['effect_id', 'workspace_id', 'list'])
    .where((eb) =>
      eb.or([
        ...(effectIds.length === 0
          ? []
          : [eb.and([eb('list', '=', 'inputs'), eb('effect_id', 'in', effectIds)])]),
        ...(workspaceIds.length === 0
          ? []
          : [eb.and([eb('list', '=', 'changes'), eb('workspace_id', 'in', workspaceIds)])]),
      ]),
    )
    .execute()
  const inputs = rows.filter(({ list }) => list === 'inputs').map((row) => row.effect_id)
  const changes = rows.filter(({ list }) => list === 'changes').map((row) => row.workspace_id)
  return { inputs: new Set(inputs), changes: new Set(changes) }
}

/** The models behind runs, by run. */
export async function modelsOfRuns(
  db: Db,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (runIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('run_models')
    .select(['run_id', 'model'])
    .where('run_id', 'in', runIds)
    .execute()
  return new Map(rows.map((row) => [row.run_id, row.model]))
}

/** Where the content of a revision is, when the project has such a revision. */
export async function contentOfRevision(
  db: Db,
  projectId: string,
  revisionId: string,
): Promise<string | undefined> {
  const inTable = (table: 'run_file_changes' | 'workspace_file_changes') =>
    db
      .selectFrom(table)
      .select('sha256')
      .where('revision_id', '=', revisionId)
      .where('project_id', '=', projectId)
      .executeTakeFirst()
  const row = (await inTable('run_file_changes')) ?? (await inTable('workspace_file_changes'))
  return row?.sha256 ?? undefined
}
