import { exhaustive, push } from '@sciencediscovery/kernel'
import { type RunEvent } from '@sciencediscovery/run-events'
import { noteObservation } from './repeat-guard.js'
import {
  type CallResult,
  type CallStage,
  type OpenCall,
  type OpenRun,
  type RunFacts,
} from './state.js'

type CallEvent = Extract<RunEvent, { type: `tool.call.${string}` }>

/** The open turn after an event of one of its calls. Results enter the history in call order once all are there. */
export function evolveCall(state: OpenRun, event: CallEvent): OpenRun {
  if (state.phase.kind !== 'tools') return state
  const call = state.phase.calls.find((candidate) => isOf(candidate, event))
  if (!call) return state
  const stage = stageAfter(call, event)
  const calls = state.phase.calls.map((other) => (other === call ? { ...call, stage } : other))
  const facts =
    stage.at === 'settled' ? settledFacts(state.facts, call, stage.result, calls) : state.facts
  return { ...state, facts, phase: { ...state.phase, calls } }
}

// A provider may repeat a call id within one turn: the first unsettled one is meant.
function isOf(call: OpenCall, event: CallEvent): boolean {
  return call.asked.callId === event.data.callId && call.stage.at !== 'settled'
}

function stageAfter(call: OpenCall, event: CallEvent): CallStage {
  const { callId, name } = call.asked
  switch (event.type) {
    case 'tool.call.requested': {
      const { attempt, writer, at } = event.data
      const requested = { at: 'requested' as const, attempt, writer, since: at }
      const earlier = 'authorization' in call.stage ? call.stage.authorization : undefined
      return earlier === undefined ? requested : { ...requested, authorization: earlier }
    }
    case 'tool.call.blocked':
      return {
        at: 'blocked',
        attempt: 'attempt' in call.stage ? call.stage.attempt : 1,
        requestId: event.data.requestId,
      }
    case 'tool.call.released': {
      const { attempt, writer, at, authorization } = event.data
      return { at: 'requested', attempt, writer, since: at, authorization }
    }
    case 'tool.call.completed': {
      const { isError, text, details, ref } = event.data
      const result: CallResult = { callId, name, isError, text, details }
      return { at: 'settled', result: ref === undefined ? result : { ...result, ref }, lost: false }
    }
    case 'tool.call.superseded': {
      const details = { json: { superseded: true, by: event.data.by } }
      const text = 'Superseded: a later plan of the same turn was taken.'
      return { at: 'settled', result: { callId, name, isError: false, text, details }, lost: false }
    }
    case 'tool.call.failed': {
      const { reason, message } = event.data
      const details = { json: { ok: false, error: { code: reason, message, retryable: false } } }
      return {
        at: 'settled',
        result: { callId, name, isError: true, text: message, details },
        lost: reason === 'unknown',
      }
    }
    default:
      return exhaustive(event)
  }
}

function settledFacts(
  facts: RunFacts,
  call: OpenCall,
  result: CallResult,
  calls: readonly OpenCall[],
): RunFacts {
  const guard = noteObservation(facts.guard, call, result)
  const results = calls.flatMap((other) =>
    other.stage.at === 'settled' ? [other.stage.result] : [],
  )
  if (results.length < calls.length) return { ...facts, guard }
  const transcript = results.reduce(
    (chain, item) => push(chain, { kind: 'result' as const, ...item }),
    facts.transcript,
  )
  return { ...facts, guard, transcript }
}
