import { PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { type AggregateType } from './aggregate.js'
import { type StoredCommit } from './commit.js'
import { type EventStore } from './event-store.js'
import { type Entry, advance, broken, emptyEntry } from './fold.js'
import { StateCache } from './state-cache.js'

/** Brings states up to date from the tail of their subject: every event is parsed once per replica. */
export class StateReader<State, Command, Event> {
  readonly #type: AggregateType<State, Command, Event>
  readonly #store: EventStore
  readonly #cache: StateCache<State>
  eventsFolded = 0

  constructor(type: AggregateType<State, Command, Event>, store: EventStore, cacheBytes: number) {
    this.#type = type
    this.#store = store
    this.#cache = new StateCache(cacheBytes)
  }

  /** What is kept of the subject, perhaps behind; undefined when nothing is. */
  kept(subject: string): Entry<State> | undefined {
    return this.#cache.find(subject)
  }

  /** The state at least up to the sequence, or up to the leader's last commit. */
  async load(subject: string, atLeastSequence: number | undefined): Promise<Entry<State>> {
    if (atLeastSequence === undefined) return this.catchUp(subject)
    const entry = this.#entryOf(subject)
    if (entry.folded.sequence >= atLeastSequence) return entry
    await this.#foldTo(subject, entry, atLeastSequence)
    return entry.folded.sequence >= atLeastSequence ? entry : this.catchUp(subject)
  }

  /** The state up to the last commit as the leader tells it. */
  async catchUp(subject: string, signal?: AbortSignal): Promise<Entry<State>> {
    const entry = this.#entryOf(subject)
    const before = entry.folded.sequence
    const last = await this.#store.last(subject, signal)
    if ((last?.sequence ?? 0) < before) {
      this.#cache.drop(subject)
      throw broken(
        `${subject}: the stream went back behind ${before}, a commit that was read is gone`,
        'stream_backwards',
      )
    }
    if (last === undefined || last.sequence <= entry.folded.sequence) return entry
    if (last.commit.version === entry.folded.version + 1) this.fold(subject, entry, last)
    else await this.#foldTo(subject, entry, last.sequence, signal)
    if (entry.folded.sequence < last.sequence) {
      throw new PlatformError('unavailable', `${subject}: the read ended before ${last.sequence}`)
    }
    return entry
  }

  /** One commit of the subject, as it is stored. */
  async commitAt(subject: string, sequence: number, signal: AbortSignal): Promise<StoredCommit> {
    const range = { afterSequence: sequence - 1, upToSequence: sequence }
    for await (const stored of this.#store.read(subject, range, signal)) return stored
    throw new PlatformError('unavailable', `${subject}: commit ${sequence} cannot be read now`)
  }

  /** Moves the entry over a commit; `parsed` when its events were parsed already. */
  fold(
    subject: string,
    entry: Entry<State>,
    stored: StoredCommit,
    parsed?: readonly Event[],
  ): void {
    try {
      this.eventsFolded += advance(this.#type, entry, stored, parsed)
    } catch (error) {
      if (isPlatformError(error) && error.code === 'bug') this.#cache.drop(subject)
      throw error
    }
    this.#cache.keep(subject, entry)
  }

  async #foldTo(
    subject: string,
    entry: Entry<State>,
    upToSequence: number,
    signal?: AbortSignal,
  ): Promise<void> {
    const range = { afterSequence: entry.folded.sequence, upToSequence }
    for await (const stored of this.#store.read(subject, range, signal))
      this.fold(subject, entry, stored)
  }

  #entryOf(subject: string): Entry<State> {
    const entry = this.#cache.find(subject) ?? emptyEntry(this.#type.decider.initialState())
    this.#cache.keep(subject, entry)
    return entry
  }
}
