import { type RunEvent } from '@sciencediscovery/run-events'
import { evolve } from './evolve.js'
import { type RunState } from './state.js'

/** The events of one decision, with the state they lead to: each next event is decided on what the ones before made. */
export interface Draft {
  readonly state: RunState
  readonly events: readonly RunEvent[]
}

export function draftOf(state: RunState): Draft {
  return { state, events: [] }
}

export function add(draft: Draft, ...events: readonly RunEvent[]): Draft {
  return { state: events.reduce(evolve, draft.state), events: [...draft.events, ...events] }
}
