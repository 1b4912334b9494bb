import { type Decider, exhaustive, refused } from '@sciencediscovery/kernel'
import {
  type CreateSession,
  type EndRun,
  type SessionCommand,
  type SubmitInput,
  type UpdateSession,
} from './commands.js'
import { type WithdrawRun } from './commands.js'
import { type SessionEvent } from './events.js'
import { evolve } from './evolve.js'
import { decidePermission, releasePending, requestPermission, resolve } from './permissions.js'
import { type LivingSession, type SessionState } from './state.js'

/**
 * Invariants of a session:
 * - at most one run is active; the others wait in the order they came;
 * - every accepted run is admitted or withdrawn, every admitted one ends before the next is admitted;
 * - a request has one outcome, and an allowed one exactly one authorization (I-14);
 * - requests that wait when their run ends are cancelled.
 */
export const sessionDecider: Decider<SessionState, SessionCommand, SessionEvent> = {
  initialState: () => ({ status: 'unborn' }),
  decide(command, state) {
    if (command.type === 'CreateSession') return create(command, state)
    if (state.status === 'unborn') throw refused('the session does not exist')
    return decideLiving(command, state)
  },
  evolve,
}

function decideLiving(
  command: Exclude<SessionCommand, { type: 'CreateSession' }>,
  state: LivingSession,
): readonly SessionEvent[] {
  switch (command.type) {
    case 'UpdateSession':
      return update(command, state)
    case 'ArchiveSession':
      return archive(command.now, state)
    case 'SubmitInput':
      return submit(command, state)
    case 'WithdrawRun':
      return withdraw(command, state)
    case 'EndRun':
      return end(command, state)
    case 'RequestPermission':
      return requestPermission(command, state)
    case 'DecidePermission':
      return decidePermission(command, state)
    default:
      return exhaustive(command)
  }
}

function create(command: CreateSession, state: SessionState): readonly SessionEvent[] {
  if (state.status !== 'unborn') return []
  const { sessionId, projectId, settings, now } = command
  return [{ type: 'session.created', v: 1, data: { sessionId, projectId, settings, at: now } }]
}

function update(command: UpdateSession, state: LivingSession): readonly SessionEvent[] {
  if (state.status === 'archived')
    throw refused('the session is archived', { remedy: 'create a new session' })
  const { settings, now, by } = command
  if (state.active && settings.runnerId !== state.settings.runnerId) {
    throw refused('the runner cannot change while a run is active', {
      field: 'settings.runner_id',
      remedy: 'wait for its end',
    })
  }
  const updated: SessionEvent = { type: 'session.updated', v: 1, data: { settings, at: now } }
  return [updated, ...releasePending({ ...state, settings }, by, now)]
}

function archive(now: string, state: LivingSession): readonly SessionEvent[] {
  if (state.status === 'archived') return []
  if (state.active) {
    throw refused(`run ${state.active.run.runId} is active`, { remedy: 'stop it first' })
  }
  return [{ type: 'session.archived', v: 1, data: { at: now } }]
}

function submit(command: SubmitInput, state: LivingSession): readonly SessionEvent[] {
  if (state.status === 'archived')
    throw refused('the session is archived', { remedy: 'create a new session' })
  const { run, writer, now } = command
  const { active } = state
  if (active && state.settings.inputPolicy === 'reject') {
    throw refused(`run ${active.run.runId} is active and the session rejects input meanwhile`, {
      remedy: 'wait for its end, stop it, or set input_policy to enqueue',
    })
  }
  const queued: SessionEvent = { type: 'session.run.queued', v: 1, data: { run, at: now } }
  if (!active)
    return [
      queued,
      { type: 'session.run.admitted', v: 1, data: { runId: run.runId, writer, at: now } },
    ]
  if (state.settings.inputPolicy === 'enqueue') return [queued]
  return [
    queued,
    {
      type: 'session.run.interrupted',
      v: 1,
      data: { runId: active.run.runId, by: run.runId, at: now },
    },
  ]
}

function withdraw(command: WithdrawRun, state: LivingSession): readonly SessionEvent[] {
  const { runId, reason, now } = command
  const isQueued = state.queue.some((run) => run.runId === runId)
  return isQueued ? [{ type: 'session.run.withdrawn', v: 1, data: { runId, reason, at: now } }] : []
}

function end(command: EndRun, state: LivingSession): readonly SessionEvent[] {
  const { runId, status, turns, writer, now } = command
  if (state.active?.run.runId !== runId) return []
  const left = state.permissions.filter((request) => request.state === 'pending')
  const next = state.queue[0]
  return [
    ...left.map((request) => resolve(request, { state: 'cancelled' }, 'session', now)),
    { type: 'session.run.ended', v: 1, data: { runId, status, turns, at: now } },
    ...(next
      ? [
          {
            type: 'session.run.admitted' as const,
            v: 1 as const,
            data: { runId: next.runId, writer, at: now },
          },
        ]
      : []),
  ]
}
