import { exhaustive } from '@sciencediscovery/kernel'
import { type SessionEvent } from './events.js'
import { type LivingSession, type Permission, type SessionState } from './state.js'

/** Requests of ended runs that can still be listed. */
export const keptPermissions = 100

/** The state after an event; events before session.created leave it unborn. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  if (event.type === 'session.created') return created(event)
  return state.status === 'unborn' ? state : evolveLiving(state, event)
}

function created(event: Extract<SessionEvent, { type: 'session.created' }>): SessionState {
  const { sessionId, projectId, settings, at } = event.data
  return {
    status: 'open',
    sessionId,
    projectId,
    settings,
    createdAt: at,
    archivedAt: '',
    queue: [],
    turnsCompleted: 0,
    permissions: [],
    grants: [],
    runCount: 0,
  }
}

function evolveLiving(
  state: LivingSession,
  event: Exclude<SessionEvent, { type: 'session.created' }>,
): SessionState {
  switch (event.type) {
    case 'session.updated':
      return { ...state, settings: event.data.settings }
    case 'session.archived':
      return { ...state, status: 'archived', archivedAt: event.data.at }
    case 'session.run.queued':
      return { ...state, queue: [...state.queue, event.data.run], runCount: state.runCount + 1 }
    case 'session.run.admitted':
      return admitted(state, event.data.runId, event.data.writer)
    case 'session.run.withdrawn':
      return { ...state, queue: state.queue.filter((run) => run.runId !== event.data.runId) }
    case 'session.run.interrupted':
      return state
    case 'session.run.ended':
      return ended(state, event.data.turns)
    case 'permission.requested': {
      const { at, ...request } = event.data
      return {
        ...state,
        permissions: [...state.permissions, { ...request, requestedAt: at, state: 'pending' }],
      }
    }
    case 'permission.resolved':
      return { ...state, permissions: state.permissions.map((request) => resolved(request, event)) }
    case 'grant.created':
      return { ...state, grants: [...state.grants, event.data] }
    default:
      return exhaustive(event)
  }
}

function admitted(state: LivingSession, runId: string, writer: string): SessionState {
  const run = state.queue.find((queued) => queued.runId === runId)
  const queue = state.queue.filter((queued) => queued.runId !== runId)
  return run ? { ...state, queue, active: { run, writer } } : state
}

function ended(state: LivingSession, turns: number): SessionState {
  const { active, ...rest } = state
  const decided = state.permissions.filter((request) => request.state !== 'pending')
  const permissions = decided.slice(-keptPermissions)
  const next = { ...rest, turnsCompleted: state.turnsCompleted + turns, permissions }
  return active ? { ...next, lastRunId: active.run.runId } : next
}

function resolved(
  request: Permission,
  event: Extract<SessionEvent, { type: 'permission.resolved' }>,
): Permission {
  if (request.requestId !== event.data.requestId) return request
  const { state, authorization } = event.data
  return authorization === undefined ? { ...request, state } : { ...request, state, authorization }
}
