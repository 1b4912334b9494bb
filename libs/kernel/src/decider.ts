/**
 * The rules of one aggregate. All three functions are pure and synchronous: time, ids,
 * randomness and the outcome of I/O arrive in the command.
 */
export interface Decider<State, Command, Event> {
  /** The state before anything happened. */
  initialState(): State
  /** What the command makes happen: events, `[]` when nothing changes, or throws `refused`. */
  decide(command: Command, state: State): readonly Event[]
  /** The state after the event. Cannot fail: what was once written is accepted forever. */
  evolve(state: State, event: Event): State
}
