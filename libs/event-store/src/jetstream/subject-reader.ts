import { linkedSignal } from '../linked-signal.js'
import { type Timers } from '../timers.js'
import { directPage } from './direct-page.js'
import { type JetStreamApi } from './jetstream-api.js'
import { type ReadMessage, readOrdered } from './ordered-reader.js'

export interface SubjectRead {
  readonly stream: string
  readonly subject: string
  readonly afterSequence: number
  readonly upToSequence: number
  readonly signal: AbortSignal | undefined
}

type Pages = AsyncGenerator<readonly ReadMessage[]>

const pageMessages = 512
const leaderMessages = 16

/**
 * The messages of one subject, in pages. The bulk comes from whatever replica answers, which may be behind
 * what was acknowledged; the end is only believed when the leader says that nothing comes next.
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

  async *read(read: SubjectRead): Pages {
    let cursor = read.afterSequence
    while (cursor < read.upToSequence) {
      for await (const page of this.#bulk({ ...read, afterSequence: cursor })) {
        const wanted = page.filter((message) => message.sequence <= read.upToSequence)
        yield wanted
        cursor = wanted.at(-1)?.sequence ?? cursor
        if (wanted.length < page.length) return
      }
      if (cursor >= read.upToSequence) return
      const next = await this.#next(read, cursor)
      if (!next || next.sequence > read.upToSequence) return
      cursor = next.sequence
      yield [next]
    }
  }

  async *#bulk(read: SubjectRead): Pages {
    let cursor = read.afterSequence
    while (this.#hasBatches !== false && cursor < read.upToSequence) {
      const query = { ...read, afterSequence: cursor, batch: pageMessages }
      const { messages, whole } = await directPage(this.#api, query)
      if (messages.length === 0) break
      this.#hasBatches = whole
      yield messages
      cursor = messages.at(-1)?.sequence ?? cursor
      if (whole && messages.length < pageMessages) break
    }
    if (this.#hasBatches === false) yield* this.#withoutBatches({ ...read, afterSequence: cursor })
  }

  /** A few messages one by one from the leader; for more a consumer is worth its creation. */
  async *#withoutBatches(read: SubjectRead): Pages {
    let cursor = read.afterSequence
    for (let count = 0; count < leaderMessages && cursor < read.upToSequence; count += 1) {
      const next = await this.#next(read, cursor)
      if (!next) return
      cursor = next.sequence
      yield [next]
    }
    if (cursor >= read.upToSequence) return
    // The consumer waits at its end for what comes next: without a known last message it would wait for ever.
    const last = await this.#api.message(read.stream, { last_by_subj: read.subject }, read.signal)
    const end = Math.min(read.upToSequence, last?.sequence ?? 0)
    if (cursor < end) yield* this.#consumed({ ...read, afterSequence: cursor, upToSequence: end })
  }

  async *#consumed(read: SubjectRead): Pages {
    const { stream, subject, afterSequence, upToSequence } = read
    using link = linkedSignal(read.signal, AbortSignal.timeout(this.#api.timeoutMs * 4))
    const ordered = {
      stream,
      filterSubject: subject,
      afterSequence,
      batch: pageMessages,
      signal: link.signal,
    }
    for await (const page of readOrdered(this.#api, this.#timers, ordered)) {
      yield page
      if ((page.at(-1)?.sequence ?? 0) >= upToSequence) return
    }
  }

  #next(read: SubjectRead, cursor: number): Promise<ReadMessage | undefined> {
    const query = { seq: cursor + 1, next_by_subj: read.subject }
    return this.#api.message(read.stream, query, read.signal)
  }
}
