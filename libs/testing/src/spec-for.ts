import { type Decider, isPlatformError } from '@sciencediscovery/kernel'
import { expect } from 'vitest'

/** The end of a sentence about a decider. */
export interface Outcome<Event> {
  /** Exactly these events happen. */
  then(...events: readonly Event[]): void
  /** Nothing changes. */
  thenNothing(): void
  /** The command is refused with the code. */
  thenRefused(code?: string): void
}

/** A past, waiting for a command. */
export interface Past<Command, Event> {
  when(command: Command): Outcome<Event>
}

/** `given(...events).when(command).then(...events)` for the decider. */
export function specFor<State, Command, Event>(
  decider: Decider<State, Command, Event>,
): (...events: readonly Event[]) => Past<Command, Event> {
  return (...events) => ({
    when: (command) => {
      const past = events.reduce(
        (state, event) => decider.evolve(state, event),
        decider.initialState(),
      )
      const decide = (): readonly Event[] => decider.decide(command, past)
      return {
        then: (...expected) => {
          const decided = decide()
          expect(decided).toEqual(expected)
          // Whatever is decided must also be accepted.
          decided.reduce((state, event) => decider.evolve(state, event), past)
        },
        thenNothing: () => {
          expect(decide()).toEqual([])
        },
        thenRefused: (code = 'refused') => {
          expect(codeOf(decide)).toBe(code)
        },
      }
    },
  })
}

function codeOf(decide: () => unknown): string {
  try {
    return `not refused: ${JSON.stringify(decide())}`
  } catch (error) {
    if (isPlatformError(error)) return error.code
    throw error
  }
}
