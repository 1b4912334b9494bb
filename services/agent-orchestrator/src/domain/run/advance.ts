import { type RunEvent } from '@sciencediscovery/run-events'
import { exceededBudget } from './budget.js'
import { type Draft, add } from './draft.js'
import { guardVerdict } from './repeat-guard.js'
import { runnableCalls } from './runnable.js'
import { type OpenCall, type OpenRun, isOpen } from './state.js'

/** The replica that would act, and the time. */
export interface By {
  readonly writer: string
  readonly now: string
}

/** Adds what comes next: the calls that may run now, the next model turn, or the end of the run. */
export function advance(draft: Draft, by: By): Draft {
  const { state } = draft
  if (!isOpen(state) || state.phase.kind === 'model') return draft
  if (state.status === 'cancelling')
    return isWorking(state) ? draft : add(draft, cancelled(state, by))
  if (state.phase.calls.every((call) => call.stage.at === 'settled'))
    return nextTurn(draft, state, by)
  return requestCalls(draft, by)
}

function isWorking(state: OpenRun): boolean {
  return (
    state.phase.kind === 'tools' && state.phase.calls.some(({ stage }) => stage.at === 'requested')
  )
}

/** Who asked for the stop when nobody did: the time was up. No principal has this name. */
export const wallClock = 'platform:wall-clock'

/** The end of a run that was stopped: by somebody it is cancelled, by its wall clock it has failed. */
export function cancelled(state: OpenRun, by: By): RunEvent {
  const { usage } = state.facts
  const { reason, by: who } =
    state.status === 'cancelling' ? state.cancel : { reason: 'cancelled', by: '' }
  if (who === wallClock) return failed(state, 'timeout_wall', reason, by.now)
  return { type: 'run.cancelled', v: 1, data: { reason, usage, at: by.now } }
}

export function failed(state: OpenRun, reason: string, message: string, at: string): RunEvent {
  return { type: 'run.failed', v: 1, data: { reason, message, usage: state.facts.usage, at } }
}

function nextTurn(draft: Draft, state: OpenRun, by: By): Draft {
  const askedForNothing =
    state.phase.kind === 'tools' && state.phase.turn > 0 && state.phase.calls.length === 0
  if (askedForNothing) {
    return add(draft, {
      type: 'run.completed',
      v: 1,
      data: { usage: state.facts.usage, at: by.now },
    })
  }
  const exceeded = exceededBudget(state.facts, by.now)
  if (exceeded) return add(draft, failed(state, 'budget_exhausted', exceeded, by.now))
  const turn = state.facts.turnsCompleted + 1
  return add(draft, {
    type: 'model.turn.requested',
    v: 1,
    data: { turn, attempt: 1, writer: by.writer, at: by.now },
  })
}

// A verdict of the guard settles a call at once, which may let the next one run.
function requestCalls(draft: Draft, by: By): Draft {
  const { state } = draft
  if (!isOpen(state) || state.phase.kind !== 'tools') return draft
  const { turn } = state.phase
  const runnable = runnableCalls(state.phase.calls)
  if (runnable.length === 0) return draft
  const events = runnable.flatMap((call) => requestOrVerdict(call, turn, by))
  const settledAny = runnable.some((call) => guardVerdict(call) !== undefined)
  const next = add(draft, ...events)
  return settledAny ? advance(next, by) : next
}

function requestOrVerdict(call: OpenCall, turn: number, by: By): readonly RunEvent[] {
  const { callId, name } = call.asked
  const verdict = guardVerdict(call)
  const requested: RunEvent = {
    type: 'tool.call.requested',
    v: 1,
    data: { callId, name, turn, attempt: 1, writer: by.writer, at: by.now },
  }
  if (!verdict) return [requested]
  return [requested, { type: 'tool.call.completed', v: 1, data: { callId, name, ...verdict } }]
}
