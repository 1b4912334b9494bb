import { setMaxListeners } from 'node:events'
import { PlatformError } from '@sciencediscovery/kernel'
import { type Commit, type StoredCommit } from '../commit.js'
import {
  type DeliveryHandler,
  type EventStore,
  type ReactorGroup,
  type StoreDescription,
  type SubjectRange,
} from '../event-store.js'
import { createSharedStop, hasAborted, linkedSignal } from '../linked-signal.js'
import { streamOfSubject, streamsOfNoun } from '../topology.js'
import { type Core } from './core.js'
import { ReactorMember } from './reactor-member.js'

const pageCommits = 256

/** The ledger port over the core of an embedded store. Disposing it ends what it started, not the core. */
export class EmbeddedEventStore implements EventStore {
  readonly #core: Core
  readonly #closed = createSharedStop()
  readonly #members = new Set<ReactorMember>()

  constructor(core: Core) {
    this.#core = core
    // One listener per follower, let go of with it: many views and watchers are no leak.
    setMaxListeners(0, this.#closed.signal)
  }

  get runShards(): number {
    return this.#core.ledger.runShards
  }

  streamsOf(noun: string): readonly string[] {
    return streamsOfNoun(noun, this.runShards)
  }

  async append(
    commit: Commit,
    expectedSequence: number,
    signal?: AbortSignal,
  ): Promise<StoredCommit> {
    this.#refuseWhenOver(signal)
    return this.#core.ledger.append(commit, expectedSequence)
  }

  async last(subject: string, signal?: AbortSignal): Promise<StoredCommit | undefined> {
    this.#refuseWhenOver(signal)
    const { ledger } = this.#core
    const stream = streamOfSubject(subject, this.runShards)
    const sequence = ledger.lastOfSubject(subject)
    return sequence === 0 ? undefined : (await ledger.commits(stream, [sequence]))[0]
  }

  async *read(
    subject: string,
    range: SubjectRange,
    signal?: AbortSignal,
  ): AsyncGenerator<StoredCommit> {
    let cursor = range.afterSequence ?? 0
    while (cursor < range.upToSequence) {
      this.#refuseWhenOver(signal)
      const page = await this.#page(subject, cursor)
      for (const stored of page) {
        if (stored.sequence > range.upToSequence) return
        cursor = stored.sequence
        yield stored
      }
      if (page.length < pageCommits) return
    }
  }

  async *followSubject(
    subject: string,
    afterSequence: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredCommit> {
    using link = linkedSignal(signal, this.#closed.signal)
    const live = link.signal
    let cursor = afterSequence
    while (!live.aborted) {
      const seen = this.#core.ledger.grown.count
      const page = await this.#page(subject, cursor)
      for (const stored of page) {
        if (hasAborted(live)) return
        cursor = stored.sequence
        yield stored
      }
      if (page.length === 0) await this.#core.ledger.grown.passed(seen, live)
    }
  }

  async *followStream(
    stream: string,
    afterSequence: number,
    options: { readonly batch: number; readonly signal: AbortSignal },
  ): AsyncGenerator<readonly StoredCommit[]> {
    using link = linkedSignal(options.signal, this.#closed.signal)
    const live = link.signal
    const { ledger } = this.#core
    let cursor = afterSequence
    while (!live.aborted) {
      const seen = ledger.grown.count
      const count = Math.min(options.batch, ledger.lastSequence(stream) - cursor)
      if (count <= 0) {
        await ledger.grown.passed(seen, live)
        continue
      }
      const first = cursor + 1
      const batch = await ledger.commits(
        stream,
        Array.from({ length: count }, (_, index) => first + index),
      )
      cursor += count
      if (!hasAborted(live)) yield batch
    }
  }

  lastSequence(stream: string, signal?: AbortSignal): Promise<number> {
    this.#refuseWhenOver(signal)
    return Promise.resolve(this.#core.ledger.lastSequence(stream))
  }

  identityOf(stream: string): Promise<string> {
    return Promise.resolve(`${this.#core.identity}/${stream}`)
  }

  async react(group: ReactorGroup, handler: DeliveryHandler): Promise<AsyncDisposable> {
    this.#refuseWhenOver()
    const state = await this.#core.groupOf(group)
    const member = new ReactorMember(group, handler, { state, ledger: this.#core.ledger })
    this.#members.add(member)
    return {
      [Symbol.asyncDispose]: async () => {
        await member[Symbol.asyncDispose]()
        this.#members.delete(member)
      },
    }
  }

  describe(): Promise<StoreDescription> {
    return Promise.resolve(this.#core.description)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await Promise.all([...this.#members].map((member) => member[Symbol.asyncDispose]()))
  }

  async #page(subject: string, cursor: number): Promise<readonly StoredCommit[]> {
    const stream = streamOfSubject(subject, this.runShards)
    const { ledger } = this.#core
    return ledger.commits(stream, ledger.sequencesOf(subject, cursor, pageCommits))
  }

  #refuseWhenOver(signal?: AbortSignal): void {
    if (this.#closed.signal.aborted) throw new PlatformError('unavailable', 'the store is closed')
    if (signal?.aborted) throw new PlatformError('cancelled', 'the caller left')
  }
}
