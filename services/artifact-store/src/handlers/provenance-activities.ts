import { ExecutionInputSchema } from '@sciencediscovery/run-events'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type ArtifactStoreTables } from '../db/schema.js'
import {
  type Activity,
  activityOf,
  type CopyFact,
  type ExecutionFact,
} from '../domain/provenance/activity.js'
import { type Revision } from '../domain/provenance/history.js'
import { poolOfWorkspace } from '../domain/provenance/places.js'
import { callKeyOf, callsByKey, executionsById } from '../projections/provenance-queries.js'
import { copiesByRevision } from '../projections/transfer-queries.js'

/** What made each of the revisions; those that no call made are left out. */
export async function activitiesOf(
  ctx: Context,
  revisions: readonly Revision[],
): Promise<readonly { readonly activity: Activity; readonly revision: Revision }[]> {
  const executionIds = revisions.map(({ executionId }) => executionId).filter((id) => id !== '')
  const copied = revisions.filter(({ origin }) => origin === 'transfer').map(({ id }) => id)
  const [executions, calls, copies] = await Promise.all([
    executionsById(ctx.db, [...new Set(executionIds)]),
    callsByKey(
      ctx.db,
      revisions.filter(({ callId }) => callId !== ''),
    ),
    copiesByRevision(ctx.db, copied),
  ])
  return revisions.flatMap((revision) => {
    const row = executions.get(revision.executionId)
    const call = calls.get(callKeyOf(revision.runId, revision.callId))
    const copy = copies.get(revision.id)
    const activity = activityOf(revision, row && toFact(row), call, copy && toCopy(copy))
    return activity ? [{ activity, revision }] : []
  })
}

/** Names an activity, so that one with many outputs is told once. */
export function activityKey(activity: Activity): string {
  const { execution, moved, runId, callId, copiedTo = '' } = activity
  if (!execution) return `${runId}\n${callId}\n${copiedTo}`
  return moved ? `${execution.executionId}\n${moved.toPath}` : execution.executionId
}

/** What a transfer copied, as its row has it. */
function toCopy(row: ArtifactStoreTables['transfer_copies']): CopyFact {
  const { source_path: sourcePath, source_workspace_id: workspaceId, sha256 } = row
  return { sourcePath, sourceRunnerId: poolOfWorkspace(workspaceId), sha256 }
}

/** An execution as its row has it. */
export function toFact(row: ArtifactStoreTables['provenance_executions']): ExecutionFact {
  const inputs = z.array(ExecutionInputSchema).parse(JSON.parse(row.inputs_json))
  return {
    effectId: row.effect_id,
    executionId: row.execution_id,
    workspaceId: row.workspace_id,
    runId: row.run_id,
    callId: row.call_id,
    state: row.state,
    exitCode: row.exit_code,
    command: row.command_preview,
    environment: { id: row.environment_id, revision: row.environment_revision },
    startedAt: row.started_at,
    finishedAt: row.finished_at,
    inputs,
    inputsOmitted: row.inputs_total - inputs.length,
    event: { stream: row.event_stream, position: row.event_position },
  }
}
