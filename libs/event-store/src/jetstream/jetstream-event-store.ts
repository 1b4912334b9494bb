import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type Commit, type StoredCommit } from '../commit.js'
import { encodeCommit } from '../commit-codec.js'
import {
  type DeliveryHandler,
  type EventStore,
  type ReactorGroup,
  type StoreDescription,
  type SubjectRange,
} from '../event-store.js'
import { createSharedStop, linkedSignal } from '../linked-signal.js'
import { type Timers } from '../timers.js'
import { streamOfSubject, streamsOfNoun } from '../topology.js'
import { followSubject } from './follow-subject.js'
import { type JetStreamApi } from './jetstream-api.js'
import { joinGroup } from './jetstream-reactor.js'
import { readOrdered } from './ordered-reader.js'
import { prefixedStream, prefixedSubject } from './streams-file.js'
import { toStored } from './to-stored.js'
import { SubjectReader } from './subject-reader.js'

/** What the store is built from once the streams are there. */
export interface JetStreamMeans {
  readonly api: JetStreamApi
  readonly prefix: string | undefined
  readonly runShards: number
  readonly timers: Timers
  readonly describe: (hasBatches: boolean | undefined) => Promise<StoreDescription>
}

const StreamInfoSchema = z.object({
  created: z.string(),
  state: z.object({ last_seq: z.number() }),
})

/** The ledger port over JetStream. */
export class JetStreamEventStore implements EventStore {
  readonly runShards: number
  readonly #means: JetStreamMeans
  readonly #api: JetStreamApi
  readonly #reader: SubjectReader
  readonly #closed = createSharedStop()
  readonly #members = new Set<AsyncDisposable>()

  constructor(means: JetStreamMeans) {
    this.#means = means
    this.#api = means.api
    this.runShards = means.runShards
    this.#reader = new SubjectReader(means.api, means.timers)
  }

  streamsOf(noun: string): readonly string[] {
    return streamsOfNoun(noun, this.runShards)
  }

  async append(
    commit: Commit,
    expectedSequence: number,
    signal?: AbortSignal,
  ): Promise<StoredCommit> {
    const stream = streamOfSubject(commit.subject, this.runShards)
    const payload = encodeCommit(commit)
    const target = { stream: this.#streamName(stream), subject: this.#subjectName(commit.subject) }
    const ack = await this.#api.publish({
      ...target,
      payload,
      expectedSequence,
      messageId: commit.commitId,
      signal,
    })
    if (!ack.duplicate) return { commit, stream, sequence: ack.sequence }
    return this.#verified(commit, stream, ack.sequence, signal)
  }

  async last(subject: string, signal?: AbortSignal): Promise<StoredCommit | undefined> {
    const stream = streamOfSubject(subject, this.runShards)
    const query = { last_by_subj: this.#subjectName(subject) }
    const message = await this.#api.message(this.#streamName(stream), query, signal)
    return message && toStored(message, stream)
  }

  async *read(
    subject: string,
    range: SubjectRange,
    signal?: AbortSignal,
  ): AsyncGenerator<StoredCommit> {
    const stream = streamOfSubject(subject, this.runShards)
    const pages = this.#reader.read({
      stream: this.#streamName(stream),
      subject: this.#subjectName(subject),
      afterSequence: range.afterSequence ?? 0,
      upToSequence: range.upToSequence,
      signal,
    })
    for await (const page of pages) {
      for (const message of page) yield toStored(message, stream)
    }
  }

  async *followSubject(
    subject: string,
    afterSequence: number,
    signal: AbortSignal,
  ): AsyncGenerator<StoredCommit> {
    using link = linkedSignal(signal, this.#closed.signal)
    const hints = { link: this.#api.link, subject: this.#subjectName(subject) }
    yield* followSubject(this, hints, { subject, afterSequence, signal: link.signal })
  }

  async *followStream(
    stream: string,
    afterSequence: number,
    options: { readonly batch: number; readonly signal: AbortSignal },
  ): AsyncGenerator<readonly StoredCommit[]> {
    using link = linkedSignal(options.signal, this.#closed.signal)
    const read = {
      stream: this.#streamName(stream),
      afterSequence,
      batch: options.batch,
      signal: link.signal,
    }
    for await (const batch of readOrdered(this.#api, this.#means.timers, read)) {
      yield batch.map((message) => toStored(message, stream))
    }
  }

  async lastSequence(stream: string, signal?: AbortSignal): Promise<number> {
    const info = await this.#api.call(
      `STREAM.INFO.${this.#streamName(stream)}`,
      undefined,
      StreamInfoSchema,
      signal,
    )
    return info.state.last_seq
  }

  async identityOf(stream: string): Promise<string> {
    const info = await this.#api.call(
      `STREAM.INFO.${this.#streamName(stream)}`,
      undefined,
      StreamInfoSchema,
    )
    return `${stream}@${info.created}`
  }

  async react(group: ReactorGroup, handler: DeliveryHandler): Promise<AsyncDisposable> {
    const streams = this.streamsOf(group.noun).map((stream) => ({
      stream,
      name: this.#streamName(stream),
    }))
    const member = await joinGroup(this.#api, {
      group,
      handler,
      streams,
      timers: this.#means.timers,
    })
    this.#members.add(member)
    return {
      [Symbol.asyncDispose]: async () => {
        await member[Symbol.asyncDispose]()
        this.#members.delete(member)
      },
    }
  }

  describe(): Promise<StoreDescription> {
    return this.#means.describe(this.#reader.hasBatches)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    await Promise.all([...this.#members].map((member) => member[Symbol.asyncDispose]()))
  }

  /** "Duplicate" is a hint: the window is in memory and only a look at what is stored says that it is ours. */
  async #verified(
    commit: Commit,
    stream: string,
    sequence: number,
    signal?: AbortSignal,
  ): Promise<StoredCommit> {
    const message = await this.#api.message(this.#streamName(stream), { seq: sequence }, signal)
    if (message?.subject === this.#subjectName(commit.subject)) {
      const stored = toStored(message, stream)
      if (
        stored.commit.commitId === commit.commitId &&
        stored.commit.commandId === commit.commandId
      )
        return stored
    }
    throw new PlatformError(
      'unknown',
      `${commit.subject}: called a duplicate of ${stream}/${sequence}, which it is not`,
    )
  }

  #streamName(stream: string): string {
    return prefixedStream(stream, this.#means.prefix)
  }

  #subjectName(subject: string): string {
    return prefixedSubject(subject, this.#means.prefix)
  }
}
