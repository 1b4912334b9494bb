import {
  ArtifactDeclaredSchema,
  ExecutionCompletedSchema,
  RunStartedSchema,
  WorkspaceChangedSchema,
} from '@sciencediscovery/run-events'
import { sql, type Transaction } from 'kysely'
import { type ArtifactStoreTables } from '../db/schema.js'
import { type CallEvent, callEventOf } from './call-events.js'
import { writeExecution } from './executions.js'
import { writeFileChanges } from './file-changes.js'
import { type PlacedEvent, type StoredLists } from './placed-event.js'
import { storableKey } from './storable.js'

type Tx = Transaction<ArtifactStoreTables>

/** View `run_provenance`: who did what to which files, as the run streams say. */
export async function applyToRunProvenance(
  tx: Tx,
  placed: PlacedEvent,
  lists: StoredLists,
): Promise<void> {
  const eventStream = `runs/${placed.ownerId}`
  const cited = { event_stream: eventStream, event_position: placed.position }
  const call = callEventOf(placed)
  if (call) return writeCall(tx, placed, call)
  switch (placed.type) {
    case 'run.started':
      return writeRun(tx, placed)
    case 'execution.completed':
      return writeExecution(tx, ExecutionCompletedSchema.parse(placed).data, placed, lists)
    case 'artifact.declared':
      return writeMention(tx, ArtifactDeclaredSchema.parse(placed).data.versionId, cited)
    case 'workspace.changed':
      return writeFileChanges(
        tx,
        WorkspaceChangedSchema.parse(placed).data,
        {
          table: 'run_file_changes',
          projectId: placed.projectId,
          runId: placed.ownerId,
          eventStream,
          eventPosition: placed.position,
        },
        lists,
      )
    default:
      return undefined
  }
}

async function writeRun(tx: Tx, placed: PlacedEvent): Promise<void> {
  const { data } = RunStartedSchema.parse(placed)
  await tx
    .insertInto('provenance_runs')
    .values({
      run_id: data.runId,
      project_id: data.projectId,
      session_id: data.sessionId,
      agent_id: data.agentId,
      started_at: data.at,
    })
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .execute()
}

async function writeCall(tx: Tx, placed: PlacedEvent, call: CallEvent): Promise<void> {
  await tx
    .insertInto('provenance_calls')
    .values({
      run_id: placed.ownerId,
      call_id: storableKey(call.callId),
      name: storableKey(call.name),
      outcome: call.outcome,
      position: placed.position,
    })
    .onConflict((conflict) =>
      conflict.columns(['run_id', 'call_id']).doUpdateSet({ outcome: call.outcome }),
    )
    .execute()
}

async function writeMention(
  tx: Tx,
  versionId: string,
  cited: { readonly event_stream: string; readonly event_position: number },
): Promise<void> {
  await tx
    .insertInto('version_mentions')
    .values({ version_id: versionId, ...cited })
    .onConflict((conflict) =>
      conflict
        .column('version_id')
        .doUpdateSet(cited)
        .where(
          sql<boolean>`(excluded.event_stream, excluded.event_position)
            < (version_mentions.event_stream, version_mentions.event_position)`,
        ),
    )
    .execute()
}
