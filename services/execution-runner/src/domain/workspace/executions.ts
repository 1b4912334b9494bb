import { type ExecutionCompleted } from '@sciencediscovery/run-events'
import { refused } from '@sciencediscovery/kernel'
import {
  type CancelExecution,
  type FinishExecution,
  type QueueExecution,
  type RecordOutput,
  type StartExecution,
} from './commands.js'
import { type WorkspaceEvent } from './events.js'
import { snapshotFacts } from './facts.js'
import { lookUp } from './keyed.js'
import { requestPlacement, requireOwner } from './ownership.js'
import { type QueuedExecution, type RunningExecution, type WorkspaceState } from './state.js'

export function queueExecution(command: QueueExecution, state: WorkspaceState): WorkspaceEvent[] {
  const { executionId, asker, order, at, startUnder } = command
  const known = lookUp(state.executions, executionId)
  if (known) {
    if (known.command.digest === command.command.digest) return []
    throw refused(`execution ${executionId} was asked for with another command`, {
      reason: 'execution_id_reused',
      remedy: 'choose a new execution id',
    })
  }
  if (lookUp(state.tombstones, executionId) !== undefined) {
    throw refused(`execution ${executionId} was cancelled before it began`, { reason: 'cancelled' })
  }
  const queued: WorkspaceEvent = {
    type: 'execution.queued',
    v: 1,
    data: { executionId, asker, command: command.command, order, at },
  }
  // Nobody would start it: the claim ended while it was asked for.
  const placing = requestPlacement({ type: 'RequestPlacement', pool: command.pool, at }, state)
  const free = state.running === undefined && state.queue.length === 0
  if (startUnder === undefined || !free) return [queued, ...placing]
  requireOwner(startUnder, state)
  return [queued, started(executionId, startUnder, at)]
}

export function startExecution(command: StartExecution, state: WorkspaceState): WorkspaceEvent[] {
  requireOwner(command.epoch, state)
  if (state.running !== undefined) throw busy(state.running)
  if (state.queue[0] !== command.executionId) {
    throw refused(`execution ${command.executionId} is not the next one`, { reason: 'not_next' })
  }
  return [started(command.executionId, command.epoch, command.at)]
}

function started(executionId: string, epoch: number, at: string): WorkspaceEvent {
  return { type: 'execution.started', v: 1, data: { executionId, epoch, at } }
}

/** The execution that this claim has started and that has no outcome yet. */
export function startedUnder(epoch: number, state: WorkspaceState): string | undefined {
  const known = state.running === undefined ? undefined : lookUp(state.executions, state.running)
  return known?.status === 'running' && known.epoch === epoch ? known.executionId : undefined
}

/** Somebody else writes in the workspace. */
export function busy(executionId: string): Error {
  return refused(`execution ${executionId} is writing in the workspace`, {
    reason: 'workspace_busy',
    remedy: 'wait for the execution or cancel it, then try again',
  })
}

/** A queued one ends at once: it has no process tree. A running one ends when its tree is gone. */
export function cancelExecution(command: CancelExecution, state: WorkspaceState): WorkspaceEvent[] {
  const { executionId, reason, at } = command
  const known = lookUp(state.executions, executionId)
  const asked: WorkspaceEvent = {
    type: 'execution.cancel.requested',
    v: 1,
    data: { executionId, reason, at },
  }
  switch (known?.status) {
    case undefined:
      return lookUp(state.tombstones, executionId) === undefined ? [asked] : []
    case 'queued':
      return [asked, cancelledInQueue(command, known)]
    case 'running':
      return known.cancel === undefined ? [asked] : []
    case 'ended':
      return []
  }
}

function cancelledInQueue(command: CancelExecution, queued: QueuedExecution): ExecutionCompleted {
  const { workspaceId, pool, executionId, reason, at } = command
  return {
    type: 'execution.completed',
    v: 1,
    data: {
      effectId: `${executionId}:completed`,
      callId: queued.asker.callId,
      workspaceId,
      executionId,
      runnerId: pool,
      state: 'cancelled',
      exitCode: null,
      reason,
      command: queued.command,
      environment: { id: '', revision: '' },
      startedAt: queued.queuedAt,
      finishedAt: at,
      stdoutBytes: 0,
      stderrBytes: 0,
      inputs: { items: [] },
    },
  }
}

/** While it runs: at its end everything is stored anyway. */
export function recordOutput(command: RecordOutput, state: WorkspaceState): WorkspaceEvent[] {
  const { executionId, epoch, output, stdoutBytes, stderrBytes, at } = command
  requireOwner(epoch, state)
  if (lookUp(state.executions, executionId)?.status !== 'running') return []
  const data = { executionId, epoch, output, stdoutBytes, stderrBytes, at }
  return [{ type: 'execution.output.recorded', v: 1, data }]
}

/** Exit, snapshot, outcome and change are one decision: none is ever seen without the others. */
export function finishExecution(command: FinishExecution, state: WorkspaceState): WorkspaceEvent[] {
  const { executionId, epoch, workspaceId, pool, at } = command
  const known = lookUp(state.executions, executionId)
  if (known?.status === 'ended') return []
  requireOwner(epoch, state)
  if (known?.status !== 'running') throw refused(`execution ${executionId} does not run`)
  requireBase(command.snapshot.baseTree, state)
  const { committed, changed } = snapshotFacts(command.snapshot, epoch, {
    workspaceId,
    pool,
    effectId: `${executionId}:changed`,
    callId: known.asker.callId,
    executionId,
    origin: 'tool',
    at,
  })
  const exited: WorkspaceEvent = {
    type: 'execution.exited',
    v: 1,
    data: { executionId, epoch, output: command.output, at },
  }
  return [exited, committed, outcome(command, known), ...changed]
}

export function requireBase(baseTree: string | null, state: WorkspaceState): void {
  if (baseTree === state.snapshot.tree) return
  throw refused('the snapshot does not start from the last one', { reason: 'stale_snapshot' })
}

function outcome(command: FinishExecution, known: RunningExecution): ExecutionCompleted {
  const { executionId, workspaceId, pool, stdoutBytes, stderrBytes } = command
  const { state, reason } = verdict(command, known)
  return {
    type: 'execution.completed',
    v: 1,
    data: {
      effectId: `${executionId}:completed`,
      callId: known.asker.callId,
      workspaceId,
      executionId,
      runnerId: pool,
      state,
      exitCode: reason === timedOut ? timedOutExitCode : command.exitCode,
      reason,
      command: known.command,
      environment: command.environment,
      startedAt: known.startedAt,
      finishedAt: command.at,
      stdoutBytes,
      stderrBytes,
      inputs: command.inputs,
      ...(command.explanation !== '' && { explanation: command.explanation }),
      ...(command.possibleInputs && { possibleInputs: command.possibleInputs }),
      ...(command.skipped && { skipped: command.skipped }),
    },
  }
}

const timedOut = 'timed_out'
/** What shells give a command whose time was over (C-05). */
const timedOutExitCode = 124

/** What it was cancelled for counts, unless it had ended well by itself. */
function verdict(
  { exitCode, reason }: FinishExecution,
  { cancel }: RunningExecution,
): Pick<ExecutionCompleted['data'], 'state' | 'reason'> {
  if (exitCode === 0 && reason === '') return { state: 'completed', reason: '' }
  if (cancel !== undefined) return { state: 'cancelled', reason: cancel }
  // Its time was over, and that could not be recorded before.
  if (reason === timedOut) return { state: 'cancelled', reason }
  return { state: 'failed', reason: reason === '' ? 'exit_code' : reason }
}
