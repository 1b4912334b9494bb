import { refused } from '@sciencediscovery/kernel'
import { type RunEvent } from '@sciencediscovery/run-events'
import { advance, cancelled, failed } from './advance.js'
import {
  type OwnOutcome,
  type RecordModelFailure,
  type RecordModelTurn,
  type StartRun,
} from './commands.js'
import { add, draftOf } from './draft.js'
import { guardVerdict } from './repeat-guard.js'
import { type OpenCall, type OpenRun, type Phase, type RunState, isOpen } from './state.js'

type ModelPhase = Extract<Phase, { kind: 'model' }>

export function startRun(command: StartRun, state: RunState): readonly RunEvent[] {
  if (state.status !== 'unborn' && state.status !== 'tombstone') return []
  const start = add(
    draftOf({ status: 'unborn' }),
    { type: 'run.started', v: 1, data: { ...command.header, at: command.now } },
    { type: 'message.added', v: 1, data: { role: 'user', text: command.message } },
  )
  if (state.status === 'tombstone' && isOpen(start.state)) {
    const { usage } = start.state.facts
    return [
      ...start.events,
      {
        type: 'run.cancelled',
        v: 1,
        data: { reason: state.cancel.reason, usage, at: command.now },
      },
    ]
  }
  return advance(start, command).events
}

// An answer of an attempt that was taken over is fenced; one that was recorded already changes nothing.
function awaited(
  state: RunState,
  command: { readonly turn: number; readonly attempt: number },
): (OpenRun & { readonly phase: ModelPhase }) | undefined {
  if (!isOpen(state) || state.phase.kind !== 'model' || state.phase.turn !== command.turn)
    return undefined
  if (state.phase.attempt > command.attempt)
    throw refused(`attempt ${command.attempt} of model turn ${command.turn} was taken over`)
  return { ...state, phase: state.phase }
}

export function recordModelTurn(command: RecordModelTurn, state: RunState): readonly RunEvent[] {
  if (!awaited(state, command)) return []
  const { type: _type, writer, now, toolCalls, ...turn } = command
  const asked = toolCalls.map(({ own: _own, ...call }) => call)
  const draft = add(draftOf(state), {
    type: 'model.turn.completed',
    v: 1,
    data: { ...turn, toolCalls: asked },
  })
  const outcomes = new Map(
    toolCalls.flatMap((call) => (call.own ? [[call.callId, call.own] as const] : [])),
  )
  const settled = add(draft, ...settleOwnCalls(draft.state, outcomes, { writer, now }))
  return advance(settled, { writer, now }).events
}

/** The orchestrator's own calls end where they stand. Of several plans the last valid one is taken (S-23). */
function settleOwnCalls(
  state: RunState,
  outcomes: ReadonlyMap<string, OwnOutcome>,
  by: { readonly writer: string; readonly now: string },
): readonly RunEvent[] {
  if (state.status !== 'running' || state.phase.kind !== 'tools') return []
  const { phase, facts } = state
  const own = phase.calls.filter((call) => outcomes.has(call.asked.callId))
  const taken = own.findLast(
    (call) => outcomes.get(call.asked.callId)?.kind === 'plan' && !guardVerdict(call),
  )
  return own.flatMap((call): readonly RunEvent[] => {
    const { callId, name } = call.asked
    const requested: RunEvent = {
      type: 'tool.call.requested',
      v: 1,
      data: { callId, name, turn: phase.turn, attempt: 1, writer: by.writer, at: by.now },
    }
    return [
      requested,
      ...ownEnd(call, outcomes.get(callId), taken?.asked.callId, facts.header.agentId),
    ]
  })
}

function ownEnd(
  call: OpenCall,
  outcome: OwnOutcome | undefined,
  takenCallId: string | undefined,
  agentId: string,
): readonly RunEvent[] {
  const { callId, name } = call.asked
  const verdict = guardVerdict(call)
  if (verdict) return [{ type: 'tool.call.completed', v: 1, data: { callId, name, ...verdict } }]
  if (outcome?.kind === 'result') {
    const { isError, text, details } = outcome
    return [{ type: 'tool.call.completed', v: 1, data: { callId, name, isError, text, details } }]
  }
  if (outcome?.kind !== 'plan') return []
  if (takenCallId !== undefined && takenCallId !== callId) {
    return [{ type: 'tool.call.superseded', v: 1, data: { callId, name, by: takenCallId } }]
  }
  const { items, explanation } = outcome
  const plan =
    explanation === undefined ? { items: [...items] } : { items: [...items], explanation }
  const text =
    items.length === 0 ? 'The plan was cleared.' : `The plan was set: ${items.length} steps.`
  return [
    { type: 'plan.updated', v: 1, data: { callId, agentId, ...plan } },
    {
      type: 'tool.call.completed',
      v: 1,
      data: { callId, name, isError: false, text, details: { json: { plan: plan.items } } },
    },
  ]
}

export function recordModelFailure(
  command: RecordModelFailure,
  state: RunState,
): readonly RunEvent[] {
  const open = awaited(state, command)
  if (!open) return []
  const { turn, attempt, reason, message, retryable, now, writer } = command
  const draft = add(draftOf(open), {
    type: 'model.turn.failed',
    v: 1,
    data: { turn, attempt, reason, message, retryable },
  })
  if (open.status === 'cancelling') return add(draft, cancelled(open, command)).events
  if (!retryable || open.phase.failures >= open.facts.header.limits.maxModelRetries) {
    return add(draft, failed(open, reason, message, now)).events
  }
  const waitMs = command.retryAfterMs ?? Math.min(4000, 500 * 2 ** open.phase.failures)
  const notBefore = new Date(Date.parse(now) + waitMs).toISOString()
  return add(draft, {
    type: 'model.turn.requested',
    v: 1,
    data: { turn, attempt: attempt + 1, writer, at: now, notBefore },
  }).events
}
