import { type Msg, RequestStrategy } from 'nats'
import { linkedSignal } from '../linked-signal.js'
import { type Timers } from '../timers.js'
import { type JetStreamApi } from './jetstream-api.js'
import { fromReadFailure } from './nats-failure.js'
import { type ReadMessage, readOrdered } from './ordered-reader.js'

export interface SubjectRead {
  readonly stream: string
  readonly subject: string
  readonly afterSequence: number
  readonly upToSequence: number
  readonly signal: AbortSignal | undefined
}

const pageMessages = 512
const leaderMessages = 16

/**
 * The messages of one subject. The bulk comes from whatever replica answers, which may be behind what was
 * acknowledged; the end is only believed when the leader says that nothing comes next.
 */
export class SubjectReader {
  readonly #api: JetStreamApi
  readonly #timers: Timers
  /** Unknown until the first read; false below nats-server 2.11. */
  #hasBatches: boolean | undefined

  constructor(api: JetStreamApi, timers: Timers) {
    this.#api = api
    this.#timers = timers
  }

  /** Whether the server answers one request with many messages, as far as is known. */
  get hasBatches(): boolean | undefined {
    return this.#hasBatches
  }

  async *read(read: SubjectRead): AsyncGenerator<ReadMessage> {
    let cursor = read.afterSequence
    while (cursor < read.upToSequence) {
      for await (const message of this.#bulk({ ...read, afterSequence: cursor })) {
        if (message.sequence > read.upToSequence) return
        cursor = message.sequence
        yield message
      }
      if (cursor >= read.upToSequence) return
      const query = { seq: cursor + 1, next_by_subj: read.subject }
      const next = await this.#api.message(read.stream, query, read.signal)
      if (!next || next.sequence > read.upToSequence) return
      cursor = next.sequence
      yield next
    }
  }

  async *#bulk(read: SubjectRead): AsyncGenerator<ReadMessage> {
    let cursor = read.afterSequence
    while (this.#hasBatches !== false && cursor < read.upToSequence) {
      const page = await this.#page({ ...read, afterSequence: cursor })
      for (const message of page) yield message
      const last = page.at(-1)
      if (!last || page.length < pageMessages) break
      cursor = last.sequence
    }
    if (this.#hasBatches === false) yield* this.#withoutBatches({ ...read, afterSequence: cursor })
  }

  /** One batch of direct reads: ends with an empty message. An older server sends one message and no end. */
  async #page({ stream, subject, afterSequence }: SubjectRead): Promise<readonly ReadMessage[]> {
    const query = { seq: afterSequence + 1, next_by_subj: subject, batch: pageMessages }
    const page: ReadMessage[] = []
    try {
      const answers = await this.#api.link.nc.requestMany(
        `$JS.API.DIRECT.GET.${stream}`,
        JSON.stringify(query),
        {
          strategy: RequestStrategy.SentinelMsg,
          maxWait: this.#api.timeoutMs,
        },
      )
      for await (const answer of answers) {
        if (answer.data.length === 0) break
        page.push(toReadMessage(answer, subject))
        this.#hasBatches ??= answer.headers?.has('Nats-Num-Pending') ?? false
        if (!this.#hasBatches) break
      }
    } catch (error) {
      throw fromReadFailure(error, `read ${subject}`)
    }
    return page
  }

  /** A few messages one by one from the leader; for more a consumer is worth its creation. */
  async *#withoutBatches(read: SubjectRead): AsyncGenerator<ReadMessage> {
    let cursor = read.afterSequence
    for (let count = 0; count < leaderMessages && cursor < read.upToSequence; count += 1) {
      const query = { seq: cursor + 1, next_by_subj: read.subject }
      const next = await this.#api.message(read.stream, query, read.signal)
      if (!next) return
      cursor = next.sequence
      yield next
    }
    if (cursor >= read.upToSequence) return
    // The consumer waits at its end for what comes next: without a known last message it would wait for ever.
    const last = await this.#api.message(read.stream, { last_by_subj: read.subject }, read.signal)
    const end = Math.min(read.upToSequence, last?.sequence ?? 0)
    if (cursor >= end) return
    yield* this.#consumed({ ...read, afterSequence: cursor, upToSequence: end })
  }

  async *#consumed({
    stream,
    subject,
    afterSequence,
    upToSequence,
    signal,
  }: SubjectRead): AsyncGenerator<ReadMessage> {
    using link = linkedSignal(signal, AbortSignal.timeout(this.#api.timeoutMs * 4))
    const read = {
      stream,
      filterSubject: subject,
      afterSequence,
      batch: pageMessages,
      signal: link.signal,
    }
    for await (const batch of readOrdered(this.#api, this.#timers, read)) {
      for (const message of batch) {
        yield message
        if (message.sequence >= upToSequence) return
      }
    }
  }
}

function toReadMessage(answer: Msg, subject: string): ReadMessage {
  return { subject, sequence: Number(answer.headers?.get('Nats-Sequence')), payload: answer.data }
}
