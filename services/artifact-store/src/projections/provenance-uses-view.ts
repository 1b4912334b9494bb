import {
  type ExecutionCompleted,
  ExecutionCompletedSchema,
  ExecutionInputSchema,
  FileChangeSchema,
  RunStartedSchema,
  type WorkspaceChanged,
  WorkspaceChangedSchema,
} from '@sciencediscovery/run-events'
import { sql, type Transaction } from 'kysely'
import {
  type ArtifactStoreTables,
  type ExecutionInputsTable,
  type FileMovesTable,
} from '../db/schema.js'
import { movesOf } from '../domain/provenance/moves.js'
import { placeOfInput } from '../domain/provenance/places.js'
import { itemsOf, type ListOf, type PlacedEvent, type StoredLists } from './placed-event.js'
import { fileIdOf, storable, storableKey } from './storable.js'

type Tx = Transaction<ArtifactStoreTables>
const rowsPerStatement = 5_000

/**
 * View `provenance_uses`: the way downstream. What executions are known to have taken, which files they moved, and
 * what cannot be told any more because a list is lost. Rows follow from one event each, so that their order and
 * their repetition in another run do not matter.
 */
export async function applyToProvenanceUses(
  tx: Tx,
  placed: PlacedEvent,
  lists: StoredLists,
): Promise<void> {
  switch (placed.type) {
    case 'run.started':
      return writeModel(tx, placed)
    case 'execution.completed':
      return writeInputs(tx, ExecutionCompletedSchema.parse(placed).data, lists)
    case 'workspace.changed':
      return writeMoves(tx, WorkspaceChangedSchema.parse(placed).data, lists)
    default:
      return undefined
  }
}

async function writeModel(tx: Tx, placed: PlacedEvent): Promise<void> {
  const { runId, model, profile, systemPrompt } = RunStartedSchema.parse(placed).data
  await tx
    .insertInto('run_models')
    .values({
      run_id: runId,
      model: storable(model),
      profile: storable(profile),
      prompt_digest: storable(systemPrompt.digest),
    })
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .execute()
}

async function writeInputs(
  tx: Tx,
  execution: ExecutionCompleted['data'],
  lists: StoredLists,
): Promise<void> {
  const inputs = await itemsOf(execution.inputs, ExecutionInputSchema, lists)
  if (inputs === undefined) return writeLoss(tx, execution, 'inputs', execution.inputs)
  const rows = new Map<string, ExecutionInputsTable>()
  for (const input of inputs) {
    if (input.evidence === 'possible') continue
    const { workspaceId, path } = placeOfInput(execution.workspaceId, input)
    const fileId = fileIdOf(workspaceId, path)
    rows.set(`${fileId} ${input.sha256}`, {
      effect_id: storableKey(execution.effectId),
      file_id: fileId,
      sha256: input.sha256,
      path: storable(path),
      evidence: input.evidence,
      execution_id: execution.executionId,
      started_at: execution.startedAt,
    })
  }
  await insertAll(tx, 'execution_inputs', [...rows.values()])
}

/** Only what an execution moved: of other changes nobody saw whether a file was moved or made again. */
async function writeMoves(
  tx: Tx,
  changed: WorkspaceChanged['data'],
  lists: StoredLists,
): Promise<void> {
  const changes = await itemsOf(changed.changes, FileChangeSchema, lists)
  if (changes === undefined) return writeLoss(tx, changed, 'changes', changed.changes)
  if (changed.executionId === '' || changed.deleted === 0) return
  const { effectId, workspaceId } = changed
  const rows = movesOf(changes).map(({ fromPath, toPath, sha256 }): FileMovesTable => ({
    effect_id: storableKey(effectId),
    workspace_id: workspaceId,
    from_file_id: fileIdOf(workspaceId, fromPath),
    from_path: storable(fromPath),
    to_file_id: fileIdOf(workspaceId, toPath),
    to_path: storable(toPath),
    sha256,
  }))
  await insertAll(tx, 'file_moves', rows)
}

/** One JSON parameter for many rows, which is far quicker than one for each value. */
async function insertAll(
  tx: Tx,
  table: 'execution_inputs' | 'file_moves',
  rows: readonly (ExecutionInputsTable | FileMovesTable)[],
): Promise<void> {
  const target = sql.table(table)
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    const some = JSON.stringify(rows.slice(at, at + rowsPerStatement))
    await sql`insert into ${target}
      select * from json_populate_recordset(null::${target}, ${some}::json)
      on conflict do nothing`.execute(tx)
  }
}

async function writeLoss(
  tx: Tx,
  effect: { readonly effectId: string; readonly workspaceId: string },
  list: 'inputs' | 'changes',
  reference: ListOf<unknown>,
): Promise<void> {
  const digest = 'blob' in reference ? reference.blob.digest : ''
  await tx
    .insertInto('lost_lists')
    .values({
      effect_id: storableKey(effect.effectId),
      list,
      workspace_id: effect.workspaceId,
      digest,
    })
    .onConflict((conflict) => conflict.columns(['effect_id', 'list']).doNothing())
    .execute()
}
