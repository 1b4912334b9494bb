import { lookUp, refused } from '@sciencediscovery/kernel'
import { type Effect, type RunEvent } from '@sciencediscovery/run-events'
import { advance } from './advance.js'
import { type BlockCall, type CompleteCall, type FailCall, type ReleaseCall } from './commands.js'
import { add, draftOf } from './draft.js'
import { type OpenCall, type RunFacts, type RunState, isOpen } from './state.js'

function openCall(state: RunState, callId: string): OpenCall | undefined {
  if (!isOpen(state) || state.phase.kind !== 'tools') return undefined
  return state.phase.calls.find(
    (call) => call.asked.callId === callId && call.stage.at !== 'settled',
  )
}

function isFenced(call: OpenCall, attempt: number): boolean {
  return 'attempt' in call.stage && attempt !== 0 && attempt < call.stage.attempt
}

export function blockCall(command: BlockCall, state: RunState): readonly RunEvent[] {
  const call = openCall(state, command.callId)
  // Released meanwhile (a later attempt), or blocked already: nothing to say.
  if (call?.stage.at !== 'requested' || isFenced(call, command.attempt)) return []
  const { callId, requestId, action, resource, summary } = command
  const blocked: RunEvent = {
    type: 'tool.call.blocked',
    v: 1,
    data: { callId, requestId, action, resource, summary },
  }
  return advance(add(draftOf(state), blocked), command).events
}

export function releaseCall(command: ReleaseCall, state: RunState): readonly RunEvent[] {
  const call = openCall(state, command.callId)
  if (!call || state.status !== 'running') return []
  if (call.stage.at !== 'blocked' && call.stage.at !== 'requested') return []
  if (call.stage.authorization !== undefined) return []
  const { callId, requestId, authorization, writer, now } = command
  if (command.attempt !== undefined && isFenced(call, command.attempt)) return []
  const goesOn = call.stage.at === 'requested' && command.attempt === call.stage.attempt
  const attempt = goesOn ? call.stage.attempt : call.stage.attempt + 1
  return [
    {
      type: 'tool.call.released',
      v: 1,
      data: { callId, requestId, authorization, attempt, writer, at: now },
    },
  ]
}

/** The effects that are not recorded yet: each is recorded once per run. */
export function unrecorded(facts: RunFacts, effects: readonly Effect[]): readonly Effect[] {
  const first = new Map(effects.toReversed().map((effect) => [effect.data.effectId, effect]))
  return effects.filter(
    (effect) =>
      first.get(effect.data.effectId) === effect &&
      lookUp(facts.effectIds, effect.data.effectId) === undefined,
  )
}

export function completeCall(command: CompleteCall, state: RunState): readonly RunEvent[] {
  if (!('facts' in state)) throw refused('the run was not started')
  const call = openCall(state, command.callId)
  if (!call || !('attempt' in call.stage)) return late(command, state.facts)
  if (isFenced(call, command.attempt))
    throw refused(`attempt ${command.attempt} of call ${command.callId} was taken over`)
  const { callId, isError, text, details, ref } = command
  const completed = { callId, name: call.asked.name, isError, text, details }
  const draft = add(draftOf(state), ...unrecorded(state.facts, command.effects), {
    type: 'tool.call.completed',
    v: 1,
    data: ref === undefined ? completed : { ...completed, ref },
  })
  return advance(draft, command).events
}

// The first outcome wins; what comes after is kept and never applied (rule 5).
function late(command: CompleteCall, facts: RunFacts): readonly RunEvent[] {
  const effects = unrecorded(facts, command.effects)
  const effectId = `late:${command.callId}`
  if (lookUp(facts.effectIds, effectId) !== undefined) return effects
  const summary = `the call had ended before this outcome came${command.isError ? ' (an error)' : ''}`
  return [
    ...effects,
    { type: 'effect.recorded', v: 1, data: { effectId, callId: command.callId, summary } },
  ]
}

export function failCall(command: FailCall, state: RunState): readonly RunEvent[] {
  const call = openCall(state, command.callId)
  if (!call || !('attempt' in call.stage) || isFenced(call, command.attempt)) return []
  const { callId, reason, message } = command
  const failed: RunEvent = {
    type: 'tool.call.failed',
    v: 1,
    data: { callId, name: call.asked.name, reason, message },
  }
  return advance(add(draftOf(state), failed), command).events
}
