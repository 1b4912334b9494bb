import {
  type ExecutionCompleted,
  ExecutionInputSchema,
  type ExecutionInput,
} from '@sciencediscovery/run-events'
import { sql, type Transaction } from 'kysely'
import { type ArtifactStoreTables, type ProvenanceExecutionsTable } from '../db/schema.js'
import { itemsOf, type PlacedEvent, type StoredLists } from './placed-event.js'
import { storable, storableKey } from './storable.js'

/** A base snapshot may offer thousands of files to every execution: so many of them are kept in the row. */
const maxPossibleKept = 200

interface KeptInputs {
  readonly inputs: readonly ExecutionInput[]
  readonly total: number
}

/** One row per execution. Several runs may state it: the least place is kept, so that their order does not matter. */
export async function writeExecution(
  tx: Transaction<ArtifactStoreTables>,
  execution: ExecutionCompleted['data'],
  placed: PlacedEvent,
  lists: StoredLists,
): Promise<void> {
  const { inputs, total } = await keptInputs(execution, lists)
  const row: ProvenanceExecutionsTable = {
    effect_id: storableKey(execution.effectId),
    execution_id: execution.executionId,
    workspace_id: execution.workspaceId,
    run_id: placed.ownerId,
    call_id: storableKey(execution.callId),
    state: execution.state,
    exit_code: execution.exitCode,
    command_preview: storable(execution.command.preview),
    environment_id: storable(execution.environment.id),
    environment_revision: storable(execution.environment.revision),
    started_at: execution.startedAt,
    finished_at: execution.finishedAt,
    inputs_json: storable(JSON.stringify(inputs)),
    inputs_total: total,
    event_stream: `runs/${placed.ownerId}`,
    event_position: placed.position,
  }
  const cited = {
    run_id: row.run_id,
    event_stream: row.event_stream,
    event_position: row.event_position,
  }
  await tx
    .insertInto('provenance_executions')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column('effect_id')
        .doUpdateSet(cited)
        .where(
          sql<boolean>`(excluded.event_stream, excluded.event_position)
            < (provenance_executions.event_stream, provenance_executions.event_position)`,
        ),
    )
    .execute()
}

/** A lost list leaves its length: all of them are left out then. */
async function keptInputs(
  execution: ExecutionCompleted['data'],
  lists: StoredLists,
): Promise<KeptInputs> {
  const { inputs, total } = await listedInputs(execution, lists)
  // The rest of a large workspace is a tree and a number: possible, and left out here.
  return { inputs, total: total + (execution.possibleInputs?.count ?? 0) }
}

async function listedInputs(
  { inputs }: ExecutionCompleted['data'],
  lists: StoredLists,
): Promise<KeptInputs> {
  if ('items' in inputs) return { inputs: inputs.items, total: inputs.items.length }
  const all = await itemsOf(inputs, ExecutionInputSchema, lists)
  if (all === undefined) return { inputs: [], total: inputs.blob.count ?? 0 }
  const certain = all.filter(({ evidence }) => evidence !== 'possible')
  const possible = all.filter(({ evidence }) => evidence === 'possible').slice(0, maxPossibleKept)
  return { inputs: [...certain, ...possible], total: all.length }
}
