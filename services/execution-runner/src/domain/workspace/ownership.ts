import { type ExecutionCompleted } from '@sciencediscovery/run-events'
import { refused } from '@sciencediscovery/kernel'
import { type ClaimWorkspace, type ReleaseWorkspace, type RequestPlacement } from './commands.js'
import { type WorkspaceEvent } from './events.js'
import { snapshotFacts } from './facts.js'
import { lookUp } from './keyed.js'
import { type RunningExecution, type WorkspaceState } from './state.js'

/** Refuses an owner that is not the current one: it may be a zombie that does not know yet. */
export function requireOwner(epoch: number, { ownership }: WorkspaceState): void {
  if (ownership.status === 'owned' && ownership.epoch === epoch) return
  const current =
    ownership.status === 'owned' ? `epoch ${ownership.epoch} owns it` : 'nobody owns it'
  throw refused(`the claim of epoch ${epoch} is over: ${current}`, { reason: 'stale_epoch' })
}

export function requestPlacement(
  command: RequestPlacement,
  state: WorkspaceState,
): WorkspaceEvent[] {
  if (state.ownership.status !== 'none') return []
  const epoch = Math.max(state.placement, state.epoch) + 1
  return [
    { type: 'placement.requested', v: 1, data: { epoch, pool: command.pool, at: command.at } },
  ]
}

/**
 * A placement may be claimed again under a higher epoch: its holder is whoever has the message, and the
 * message comes to the next replica when the one before died.
 */
export function claimWorkspace(command: ClaimWorkspace, state: WorkspaceState): WorkspaceEvent[] {
  const { placement, drift, replicaId, address, at } = command
  if (state.ownership.status === 'none' || state.ownership.placement !== placement) {
    throw refused(`placement ${placement} is over`, { reason: 'stale_placement' })
  }
  const base = drift ? drift.baseTree : command.restoredTree
  if (base !== state.snapshot.tree) {
    const remedy = 'restore the last snapshot and claim again'
    throw refused('the restored snapshot is not the last one', { reason: 'stale_snapshot', remedy })
  }
  const epoch = Math.max(placement, state.epoch + 1)
  const claimed: WorkspaceEvent = {
    type: 'workspace.claimed',
    v: 1,
    data: { placement, epoch, replicaId, address, at },
  }
  return [claimed, ...settleOpen(command, state), ...driftFacts(command, epoch)]
}

function driftFacts(command: ClaimWorkspace, epoch: number): WorkspaceEvent[] {
  const { drift, workspaceId, pool, at } = command
  if (!drift) return []
  const effectId = `${workspaceId}:${epoch}:drift`
  const cause = { workspaceId, pool, effectId, callId: '', executionId: '', origin: 'unknown', at }
  const { committed, changed } = snapshotFacts(drift, epoch, cause)
  return [committed, ...changed]
}

/** What ran under an older epoch may have had any effect or none: its outcome is not known. */
function settleOpen(command: ClaimWorkspace, state: WorkspaceState): ExecutionCompleted[] {
  const open = state.running === undefined ? undefined : lookUp(state.executions, state.running)
  return open?.status === 'running' ? [lost(open, command)] : []
}

function lost(open: RunningExecution, command: ClaimWorkspace): ExecutionCompleted {
  return {
    type: 'execution.completed',
    v: 1,
    data: {
      effectId: `${open.executionId}:completed`,
      callId: open.asker.callId,
      workspaceId: command.workspaceId,
      executionId: open.executionId,
      runnerId: command.pool,
      state: 'unknown',
      exitCode: null,
      reason: 'owner_lost',
      command: open.command,
      environment: { id: '', revision: '' },
      startedAt: open.startedAt,
      finishedAt: command.at,
      stdoutBytes: 0,
      stderrBytes: 0,
      inputs: { items: [] },
    },
  }
}

export function releaseWorkspace(
  command: ReleaseWorkspace,
  state: WorkspaceState,
): WorkspaceEvent[] {
  requireOwner(command.epoch, state)
  if (state.running !== undefined || state.queue.length > 0) {
    throw refused('an execution runs or waits in the workspace', { reason: 'workspace_busy' })
  }
  return [{ type: 'workspace.released', v: 1, data: { epoch: command.epoch, at: command.at } }]
}
