import { exhaustive } from '@sciencediscovery/kernel'
import { type ExecutionCompleted, type WorkspaceChanged } from '@sciencediscovery/run-events'
import { type WorkspaceEvent } from './events.js'
import { effectKeyOf } from './files.js'
import { lookUp, withKey } from './keyed.js'
import { type Execution, type WorkspaceState } from './state.js'

type EventOf<Type extends WorkspaceEvent['type']> = Extract<WorkspaceEvent, { type: Type }>

/** Every fact is accepted: it was decided once. */
export function evolve(state: WorkspaceState, event: WorkspaceEvent): WorkspaceState {
  switch (event.type) {
    case 'placement.requested': {
      const placement = event.data.epoch
      return { ...state, placement, ownership: { status: 'placing', placement } }
    }
    case 'workspace.claimed':
      return claimed(state, event)
    case 'workspace.released':
      return { ...state, ownership: { status: 'none' } }
    case 'execution.queued':
    case 'execution.started':
    case 'execution.cancel.requested':
    case 'execution.output.recorded':
    case 'execution.exited':
    case 'execution.completed':
      return evolveExecution(state, event)
    case 'snapshot.committed': {
      const { tree, files, sizeBytes } = event.data
      return { ...state, snapshot: { tree, files, sizeBytes } }
    }
    case 'file.committed': {
      const effect = { file: event.data, changed: undefined }
      const fileEffects = withKey(state.fileEffects, event.data.effectKey, effect)
      return { ...state, fileEffects }
    }
    case 'workspace.changed':
      return changed(state, event.data)
    default:
      return exhaustive(event)
  }
}

function claimed(state: WorkspaceState, { data }: EventOf<'workspace.claimed'>): WorkspaceState {
  const { placement, epoch, replicaId, address } = data
  return { ...state, epoch, ownership: { status: 'owned', placement, epoch, replicaId, address } }
}

type ExecutionEvent = Extract<WorkspaceEvent, { type: `execution.${string}` }>

function evolveExecution(state: WorkspaceState, event: ExecutionEvent): WorkspaceState {
  switch (event.type) {
    case 'execution.queued': {
      const { executionId, asker, command, order, at } = event.data
      const entry: Execution = {
        status: 'queued',
        ...{ executionId, asker, command, order },
        queuedAt: at,
        cancel: undefined,
      }
      return { ...withExecution(state, entry), queue: [...state.queue, executionId] }
    }
    case 'execution.started':
      return started(state, event)
    case 'execution.cancel.requested':
      return cancelRequested(state, event)
    case 'execution.output.recorded':
      return recorded(state, event)
    case 'execution.exited':
      return { ...state, exited: event.data.output }
    case 'execution.completed':
      return completed(state, event.data)
    default:
      return exhaustive(event)
  }
}

function withExecution(state: WorkspaceState, execution: Execution): WorkspaceState {
  return { ...state, executions: withKey(state.executions, execution.executionId, execution) }
}

function started(state: WorkspaceState, { data }: EventOf<'execution.started'>): WorkspaceState {
  const { executionId, epoch, at } = data
  const known = lookUp(state.executions, executionId)
  const rest = {
    running: executionId,
    queue: state.queue.filter((id) => id !== executionId),
  }
  if (!known) return { ...state, ...rest }
  return { ...withExecution(state, { ...known, status: 'running', epoch, startedAt: at }), ...rest }
}

function cancelRequested(
  state: WorkspaceState,
  { data }: EventOf<'execution.cancel.requested'>,
): WorkspaceState {
  const { executionId, reason } = data
  const known = lookUp(state.executions, executionId)
  if (!known) return { ...state, tombstones: withKey(state.tombstones, executionId, reason) }
  return withExecution(state, { ...known, cancel: reason })
}

function recorded(
  state: WorkspaceState,
  { data }: EventOf<'execution.output.recorded'>,
): WorkspaceState {
  const known = lookUp(state.executions, data.executionId)
  return known?.status === 'running'
    ? withExecution(state, { ...known, recorded: data.output })
    : state
}

function completed(state: WorkspaceState, data: ExecutionCompleted['data']): WorkspaceState {
  const { executionId } = data
  const known = lookUp(state.executions, executionId)
  const rest = {
    running: state.running === executionId ? undefined : state.running,
    queue: state.queue.filter((id) => id !== executionId),
    exited: undefined,
  }
  if (!known) return { ...state, ...rest }
  const { asker, command, order, queuedAt, cancel } = known
  const ended: Execution = {
    status: 'ended',
    ...{ executionId, asker, command, order, queuedAt, cancel },
    startedAt: known.status === 'running' ? known.startedAt : '',
    completed: data,
    // Of a lost execution there is what was recorded while it ran.
    output: state.exited ?? (known.status === 'running' ? known.recorded : undefined),
    changed: undefined,
  }
  return { ...withExecution(state, ended), ...rest }
}

function changed(state: WorkspaceState, data: WorkspaceChanged['data']): WorkspaceState {
  if (data.executionId !== '') {
    const known = lookUp(state.executions, data.executionId)
    return known?.status === 'ended' ? withExecution(state, { ...known, changed: data }) : state
  }
  const key = effectKeyOf(data.effectId)
  const effect = lookUp(state.fileEffects, key)
  if (!effect) return state
  return { ...state, fileEffects: withKey(state.fileEffects, key, { ...effect, changed: data }) }
}
