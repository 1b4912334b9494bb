import { type Authorization } from '@sciencediscovery/run-events'
import { type OpenCall, type Phase, type RunState, isOpen } from './state.js'

/** Something the run asked for and has no outcome of. */
export type OpenRequest =
  | {
      readonly kind: 'model'
      readonly requestId: string
      readonly turn: number
      readonly attempt: number
      readonly writer: string
      readonly since: string
      readonly notBefore?: string
    }
  | {
      readonly kind: 'tool'
      readonly requestId: string
      readonly turn: number
      readonly attempt: number
      readonly writer: string
      readonly since: string
      readonly call: OpenCall
      readonly authorization?: Authorization
    }

/** What a reactor must see to: every request without an outcome. Calls that wait for a decision are not among them. */
export function openRequests(state: RunState): readonly OpenRequest[] {
  return isOpen(state) ? requestsOf(state.phase) : []
}

function requestsOf(phase: Phase): readonly OpenRequest[] {
  if (phase.kind === 'model') {
    const { turn, attempt, writer, since, notBefore } = phase
    const request = {
      kind: 'model' as const,
      requestId: `model:${turn}`,
      turn,
      attempt,
      writer,
      since,
    }
    return [notBefore === undefined ? request : { ...request, notBefore }]
  }
  return phase.calls.flatMap((call) => toolRequest(phase.turn, call))
}

function toolRequest(turn: number, call: OpenCall): readonly OpenRequest[] {
  if (call.stage.at !== 'requested') return []
  const { attempt, writer, since, authorization } = call.stage
  const request = {
    kind: 'tool' as const,
    requestId: `tool:${call.asked.callId}`,
    turn,
    attempt,
    writer,
    since,
    call,
  }
  return [authorization === undefined ? request : { ...request, authorization }]
}
