import { type Clock, PlatformError, isPlatformError } from '@sciencediscovery/kernel'
import { type AggregateType, type CommandMeta, type Folded, type Handled } from './aggregate.js'
import { type Commit, type RecordedEvent, type StoredCommit } from './commit.js'
import { type EventStore } from './event-store.js'
import { type Entry } from './fold.js'
import { commitIdOf } from './ids.js'
import { type StateReader } from './state-reader.js'
import { type Timers } from './timers.js'
import { Turnstile } from './turnstile.js'

interface Means {
  readonly store: EventStore
  readonly clock: Clock
  readonly writer: string
  readonly random: () => number
  readonly timers: Timers
}

interface Order<Command> {
  readonly subject: string
  readonly command: Command
  readonly commitId: string
  readonly meta: CommandMeta
  readonly endsAt: number
  readonly signal: AbortSignal
}

const defaultDeadlineMs = 10_000
const longestPauseMs = 250

/**
 * Read, fold, decide, append. What an append without a clear yes did is found out by reading to the
 * leader's last commit and looking for the command there, never by believing a second answer.
 */
export class CommandHandler<State, Command, Event> {
  readonly #type: AggregateType<State, Command, Event>
  readonly #reader: StateReader<State, Command, Event>
  readonly #means: Means
  readonly #turns = new Turnstile()

  constructor(
    type: AggregateType<State, Command, Event>,
    reader: StateReader<State, Command, Event>,
    means: Means,
  ) {
    this.#type = type
    this.#reader = reader
    this.#means = means
  }

  async handle(subject: string, command: Command, meta: CommandMeta): Promise<Handled<State>> {
    const { timers } = this.#means
    const deadlineMs = meta.deadlineMs ?? defaultDeadlineMs
    const deadline = timers.deadline(deadlineMs, meta.signal)
    const commitId = commitIdOf(subject, meta.commandId)
    const endsAt = timers.now() + deadlineMs
    const order = { subject, command, commitId, meta, endsAt, signal: deadline.signal }
    try {
      // Commands of one replica on one subject would only make each other conflict.
      const leave = await this.#turns.enter(subject, deadline.signal)
      if (!leave) throw timeIsUp(order, undefined)
      try {
        return await this.#tryUntilDone(order)
      } finally {
        leave()
      }
    } finally {
      deadline.clear()
    }
  }

  async #tryUntilDone(order: Order<Command>): Promise<Handled<State>> {
    let unanswered: PlatformError | undefined
    for (let round = 0; ; round += 1) {
      try {
        return await this.#attempt(order, round > 0)
      } catch (error) {
        const failure = retriedOr(order, error, unanswered)
        if (failure.code === 'unknown') unanswered = failure
        const pauseMs = this.#means.random() * Math.min(longestPauseMs, 4 * 2 ** round)
        if (order.signal.aborted || this.#means.timers.now() + pauseMs >= order.endsAt) {
          throw timeIsUp(order, unanswered ?? failure)
        }
        await this.#means.timers.sleep(pauseMs, order.signal)
      }
    }
  }

  /** `confirmed`: decide only on the leader's last commit. Otherwise a kept state may propose, since the append checks it. */
  async #attempt(order: Order<Command>, confirmed: boolean): Promise<Handled<State>> {
    const { subject, meta } = order
    const kept = confirmed ? undefined : this.#reader.kept(subject)
    const entry = kept ?? (await this.#reader.catchUp(subject, order.signal))
    const earlier = entry.handled.get(meta.commandId)
    if (earlier !== undefined) {
      return kept ? this.#attempt(order, true) : this.#foundAt(order, entry, earlier.sequence)
    }
    const base = entry.folded
    let decided: readonly Event[]
    try {
      decided = this.#type.decider.decide(order.command, base.state)
    } catch (error) {
      if (kept) return this.#attempt(order, true)
      throw error
    }
    if (decided.length > 0) return this.#append(order, entry, base, decided)
    // "Nothing changes" has no append to protect it: only the leader's last commit can say it.
    return kept ? this.#attempt(order, true) : { folded: base, commit: undefined, repeated: false }
  }

  async #append(
    order: Order<Command>,
    entry: Entry<State>,
    base: Folded<State>,
    decided: readonly Event[],
  ): Promise<Handled<State>> {
    const recorded = decided.map(this.#type.record)
    // An event that its own schema refuses would end the subject for every reader: find out before it is stored.
    const parsed = recorded.map(this.#type.parse)
    const commit = this.#commitOf(order, base, recorded)
    const stored = await this.#means.store.append(commit, base.sequence, order.signal)
    if (stored.commit !== commit) {
      throw new PlatformError('conflict', `${order.subject}: an earlier try of this command landed`)
    }
    this.#reader.fold(order.subject, entry, stored, parsed)
    return { folded: entry.folded, commit: stored, repeated: false }
  }

  #commitOf(order: Order<Command>, base: Folded<State>, events: readonly RecordedEvent[]): Commit {
    const { commandId, causationId, correlationId, requestDigest, traceparent } = order.meta
    return {
      commitId: order.commitId,
      subject: order.subject,
      version: base.version + 1,
      previousId: base.lastCommitId,
      firstPosition: base.position + 1,
      commandId,
      causationId,
      correlationId,
      writer: this.#means.writer,
      recordedAt: new Date(this.#means.clock()).toISOString(),
      ...(requestDigest === undefined ? {} : { requestDigest }),
      ...(traceparent === undefined ? {} : { traceparent }),
      events,
    }
  }

  async #foundAt(
    order: Order<Command>,
    entry: Entry<State>,
    sequence: number,
  ): Promise<Handled<State>> {
    const commit = await this.#reader.commitAt(order.subject, sequence, order.signal)
    refuseOtherRequest(commit, order.meta)
    return { folded: entry.folded, commit, repeated: true }
  }
}

/** A commit from before digests were kept is taken for an equal request. */
function refuseOtherRequest({ commit }: StoredCommit, { requestDigest }: CommandMeta): void {
  const known = commit.requestDigest
  if (known === undefined || requestDigest === undefined || known === requestDigest) return
  throw new PlatformError('already_exists', 'idempotency_key: was used for another request', {
    field: 'idempotency_key',
    reason: 'idempotency_key_reused',
    remedy: 'send a new key with a new request, or the same request again',
  })
}

/** The failure when another try may help; throws what ends the command. */
function retriedOr(
  order: Order<unknown>,
  error: unknown,
  unanswered: PlatformError | undefined,
): PlatformError {
  if (!isPlatformError(error)) throw error
  if (error.code === 'cancelled' && order.signal.aborted) throw timeIsUp(order, unanswered)
  if (error.code === 'conflict' || error.code === 'unknown' || error.code === 'unavailable')
    return error
  throw error
}

function timeIsUp(order: Order<unknown>, failure: PlatformError | undefined): PlatformError {
  const place = `command ${order.meta.commandId} on ${order.subject}`
  if (failure?.code === 'unknown') {
    const remedy = 'send the same command again: it is done once'
    return new PlatformError('unknown', `${place}: not answered in time`, {
      cause: failure,
      remedy,
    })
  }
  if (order.meta.signal?.aborted) return new PlatformError('cancelled', `${place}: the caller left`)
  if (failure) return failure
  return new PlatformError('deadline', `${place}: no turn in time`, { remedy: 'send it again' })
}
