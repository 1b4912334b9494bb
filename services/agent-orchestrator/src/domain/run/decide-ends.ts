import { type RunEvent } from '@sciencediscovery/run-events'
import { advance, cancelled, wallClock } from './advance.js'
import { type Expire, type ForceEnd, type RequestCancel, type TakeOver } from './commands.js'
import { type Draft, add, draftOf } from './draft.js'
import { type OpenRequest, openRequests } from './open-requests.js'
import { type RunState, isOpen } from './state.js'

export function requestCancel(command: RequestCancel, state: RunState): readonly RunEvent[] {
  if (state.status !== 'running' && state.status !== 'unborn') return []
  const { reason, by, now } = command
  const draft = add(draftOf(state), {
    type: 'run.cancel.requested',
    v: 1,
    data: { reason, by, at: now },
  })
  return advance(failBlocked(draft), command).events
}

// A call that waits for a decision has nobody at work on it: it ends with the request.
function failBlocked(draft: Draft): Draft {
  const { state } = draft
  if (!isOpen(state) || state.phase.kind !== 'tools') return draft
  const blocked = state.phase.calls.filter((call) => call.stage.at === 'blocked')
  return add(
    draft,
    ...blocked.map(({ asked }) =>
      callFailed(asked, 'cancelled', 'The run was stopped before this call was allowed.'),
    ),
  )
}

function callFailed(
  asked: { readonly callId: string; readonly name: string },
  reason: 'cancelled' | 'unknown',
  message: string,
): RunEvent {
  return {
    type: 'tool.call.failed',
    v: 1,
    data: { callId: asked.callId, name: asked.name, reason, message },
  }
}

export function takeOver(command: TakeOver, state: RunState): readonly RunEvent[] {
  const theirs = openRequests(state).filter((request) => request.writer !== command.writer)
  if (theirs.length === 0) return []
  const draft = add(draftOf(state), ...theirs.map((request) => nextAttempt(request, command)))
  return advance(draft, command).events
}

function nextAttempt(request: OpenRequest, by: TakeOver): RunEvent {
  const next = { turn: request.turn, attempt: request.attempt + 1, writer: by.writer, at: by.now }
  if (request.kind === 'model') return { type: 'model.turn.requested', v: 1, data: next }
  const { callId, name, replay } = request.call.asked
  if (replay === 'unknown-on-crash') return callFailed({ callId, name }, 'unknown', lostMessage)
  return { type: 'tool.call.requested', v: 1, data: { callId, name, ...next } }
}

/** What the model reads of a call whose outcome cannot be known. */
export const lostMessage =
  'The outcome of this call was lost. It may or may not have happened: look before you repeat it.'

export function forceEnd(command: ForceEnd, state: RunState): readonly RunEvent[] {
  if (state.status !== 'cancelling') return []
  const calls = openRequests(state).flatMap((request) =>
    request.kind === 'tool' ? [request.call.asked] : [],
  )
  const draft = add(
    draftOf(state),
    ...calls.map((asked) => callFailed(asked, 'unknown', lostMessage)),
  )
  const ended = advance(draft, command)
  return isOpen(ended.state) ? add(ended, cancelled(ended.state, command)).events : ended.events
}

/**
 * The wall clock: open work is ended as by a stop, and then the run has failed. A run that waits for a
 * person or a child has no open request, and its clock does not run.
 */
export function expire(command: Expire, state: RunState): readonly RunEvent[] {
  if (state.status !== 'running' || openRequests(state).length === 0) return []
  const { limits, at: startedAt } = state.facts.header
  const { now } = command
  // A timer may fire early: what counts is the time that the command brings.
  if (limits.wallMs === 0 || Date.parse(now) - Date.parse(startedAt) < limits.wallMs) return []
  const reason = `the run took longer than ${limits.wallMs} ms`
  const cancel = { reason, by: wallClock, at: now }
  const draft = add(draftOf(state), { type: 'run.cancel.requested', v: 1, data: cancel })
  return advance(failBlocked(draft), command).events
}
