import { chainOf, emptyBuckets, exhaustive, push, put } from '@sciencediscovery/kernel'
import { type RunEvent, type RunStarted } from '@sciencediscovery/run-events'
import { evolveCall } from './evolve-calls.js'
import { countCalls } from './repeat-guard.js'
import { type OpenRun, type RunFacts, type RunState, isOpen } from './state.js'

/** The state after an event. Events that cannot happen in a state leave it as it is: stored facts are accepted forever. */
export function evolve(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'run.started':
      return started(event.data)
    case 'message.added':
      return withFacts(state, (facts) => ({
        ...facts,
        transcript: push(facts.transcript, { kind: 'message', ...event.data }),
      }))
    case 'run.cancel.requested':
      return cancelRequested(state, event.data)
    case 'run.completed':
      return ended(state, 'completed', '', event.data.at)
    case 'run.failed':
      return ended(state, 'failed', event.data.reason, event.data.at)
    case 'run.cancelled':
      return ended(state, 'cancelled', event.data.reason, event.data.at)
    case 'execution.completed':
    case 'workspace.changed':
    case 'artifact.declared':
    case 'tool_output.stored':
    case 'transfer.queued':
    case 'transfer.started':
    case 'transfer.file.completed':
    case 'transfer.file.failed':
    case 'transfer.cancel.requested':
    case 'transfer.completed':
    case 'transfer.partial':
    case 'transfer.failed':
    case 'transfer.cancelled':
    case 'transfer.unknown':
    case 'tool_output.read':
    case 'effect.recorded':
      return withFacts(state, (facts) => ({
        ...facts,
        effectIds: put(facts.effectIds, event.data.effectId, true),
      }))
    case 'plan.updated': {
      const { agentId: _agentId, ...plan } = event.data
      return withFacts(state, (facts) => ({ ...facts, plan: withoutUndefined(plan) }))
    }
    case 'model.turn.requested':
    case 'model.turn.completed':
    case 'model.turn.failed':
      return isOpen(state) ? evolveModel(state, event) : state
    case 'tool.call.requested':
    case 'tool.call.blocked':
    case 'tool.call.released':
    case 'tool.call.completed':
    case 'tool.call.superseded':
    case 'tool.call.failed':
      return isOpen(state) ? evolveCall(state, event) : state
    default:
      return exhaustive(event)
  }
}

function withoutUndefined<T extends { readonly explanation?: string | undefined }>(
  plan: T,
): Omit<T, 'explanation'> & { readonly explanation?: string } {
  const { explanation, ...rest } = plan
  return explanation === undefined ? rest : { ...rest, explanation }
}

function started(header: RunStarted['data']): RunState {
  const facts: RunFacts = {
    header,
    transcript: chainOf(),
    turnsCompleted: 0,
    usage: { modelTurns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpricedTurns: 0 },
    guard: emptyBuckets(),
    effectIds: emptyBuckets(),
  }
  // Until the first model turn is requested (same commit) the run waits for no calls.
  return { status: 'running', facts, phase: { kind: 'tools', turn: 0, calls: [] } }
}

function withFacts(state: RunState, change: (facts: RunFacts) => RunFacts): RunState {
  return 'facts' in state ? { ...state, facts: change(state.facts) } : state
}

function cancelRequested(
  state: RunState,
  cancel: { reason: string; by: string; at: string },
): RunState {
  if (state.status === 'unborn') return { status: 'tombstone', cancel }
  if (state.status === 'running') return { ...state, status: 'cancelling', cancel }
  return state
}

function ended(
  state: RunState,
  status: 'completed' | 'failed' | 'cancelled',
  reason: string,
  at: string,
): RunState {
  return 'facts' in state ? { status, facts: state.facts, reason, endedAt: at } : state
}

type ModelEvent = Extract<RunEvent, { type: `model.turn.${string}` }>

function evolveModel(state: OpenRun, event: ModelEvent): RunState {
  switch (event.type) {
    case 'model.turn.requested': {
      const { turn, attempt, writer, at, notBefore } = event.data
      const failures = state.phase.kind === 'model' ? state.phase.failures : 0
      const phase = { kind: 'model' as const, turn, attempt, failures, writer, since: at }
      return { ...state, phase: notBefore === undefined ? phase : { ...phase, notBefore } }
    }
    case 'model.turn.failed':
      return state.phase.kind === 'model'
        ? { ...state, phase: { ...state.phase, failures: state.phase.failures + 1 } }
        : state
    case 'model.turn.completed':
      return turnCompleted(state, event.data)
    default:
      return exhaustive(event)
  }
}

function turnCompleted(
  state: OpenRun,
  turn: Extract<ModelEvent, { type: 'model.turn.completed' }>['data'],
): OpenRun {
  const { facts } = state
  const counted = countCalls(facts.guard, turn.toolCalls)
  const calls = turn.toolCalls.map(({ callId, name, argumentsText }) => ({
    callId,
    name,
    argumentsText,
  }))
  const item = { kind: 'turn' as const, text: turn.text, calls }
  const next: RunFacts = {
    ...facts,
    guard: counted.guard,
    transcript: push(
      facts.transcript,
      turn.extra === undefined ? item : { ...item, extra: turn.extra },
    ),
    turnsCompleted: facts.turnsCompleted + 1,
    usage: {
      modelTurns: facts.usage.modelTurns + 1,
      inputTokens: facts.usage.inputTokens + (turn.inputTokens ?? 0),
      outputTokens: facts.usage.outputTokens + (turn.outputTokens ?? 0),
      costUsd: facts.usage.costUsd + (turn.costUsd ?? 0),
      unpricedTurns: facts.usage.unpricedTurns + (turn.costUsd === undefined ? 1 : 0),
    },
  }
  return { ...state, facts: next, phase: { kind: 'tools', turn: turn.turn, calls: counted.calls } }
}
