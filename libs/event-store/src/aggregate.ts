import { type Decider } from '@sciencediscovery/kernel'
import { type RecordedEvent, type StoredCommit } from './commit.js'

/** An aggregate's rules and how its events are stored. */
export interface AggregateType<State, Command, Event> {
  readonly decider: Decider<State, Command, Event>
  /** Upcasts and parses a stored event; throws on an unknown type or version. */
  readonly parse: (event: RecordedEvent) => Event
  /** The event as it is stored. */
  readonly record: (event: Event) => RecordedEvent
}

/** A state with the place in the stream it was folded from. */
export interface Folded<State> {
  readonly state: State
  /** Commits folded; 0 for a new subject. */
  readonly version: number
  /** Events folded. */
  readonly position: number
  /** Stream sequence of the last commit folded; 0 for a new subject. */
  readonly sequence: number
  readonly lastCommitId: string | null
}

/** Who asks, and why. */
export interface CommandMeta {
  /** hash(project, principal, RPC, idempotency key) or hash(causing event, reactor). */
  readonly commandId: string
  readonly causationId: string
  readonly correlationId: string
  readonly traceparent?: string
  /** Kept with the commit; the same command id with another digest is refused with `already_exists`. */
  readonly requestDigest?: string
  /** Give up after this, in milliseconds since the call. Default 10 000. */
  readonly deadlineMs?: number
  /** A command of an owner with an epoch: never retried after `refused`. */
  readonly owner?: boolean
  readonly signal?: AbortSignal
}

/** What came of a command. */
export interface Handled<State> {
  readonly folded: Folded<State>
  /** The commit it made, or made on an earlier try; undefined when nothing changed. */
  readonly commit: StoredCommit | undefined
  /** True when an earlier try had already done it. */
  readonly repeated: boolean
}

/** Commands and reads of one kind of aggregate. State is cached in bounded bytes and caught up from the tail. */
export interface Aggregates<State, Command> {
  /** Read to the leader's last sequence, fold, decide, append; look and try again on conflict or unknown. */
  handle(subject: string, command: Command, meta: CommandMeta): Promise<Handled<State>>
  /** The state at least up to `atLeastSequence`, or up to the leader's last commit when not given. */
  load(subject: string, atLeastSequence?: number): Promise<Folded<State>>
  /** After which stream sequence to read for everything beyond an event position: what is before is not read again. */
  sequenceBefore(subject: string, position: number): Promise<number>
  /** Events parsed from storage so far, for the O(1) check and metrics. */
  readonly eventsFolded: () => number
}
