import { type Msg } from 'nats'
import { Gate } from '../gate.js'
import { hasAborted } from '../linked-signal.js'
import { type Timers } from '../timers.js'
import { createReader, dropReader } from './consumer-api.js'
import { Delivered } from './delivered.js'
import { type JetStreamApi } from './jetstream-api.js'
import { Puller } from './puller.js'

/** A message in its place. */
export interface ReadMessage {
  readonly subject: string
  readonly sequence: number
  readonly payload: Uint8Array
}

export interface OrderedRead {
  readonly stream: string
  readonly afterSequence: number
  readonly batch: number
  readonly signal: AbortSignal
  readonly filterSubject?: string
}

const pullExpiresMs = 10_000
const retryMs = 250

/**
 * The messages of a stream in order, then live, in batches. A gap in what the consumer sends, a lost
 * consumer or a lost connection makes it begin anew after the last message it has handed out.
 */
export async function* readOrdered(
  api: JetStreamApi,
  timers: Timers,
  read: OrderedRead,
): AsyncGenerator<readonly ReadMessage[]> {
  let cursor = read.afterSequence
  while (!read.signal.aborted) {
    try {
      for await (const batch of readOnce(api, { ...read, afterSequence: cursor })) {
        cursor = batch.at(-1)?.sequence ?? cursor
        yield batch
      }
    } catch (error) {
      if (hasAborted(read.signal)) return
      if (!isPassing(error)) throw error
    }
    await timers.sleep(retryMs, read.signal)
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'unavailable'
}

/** One consumer's worth of it; ends when the consumer does. */
async function* readOnce(
  api: JetStreamApi,
  read: OrderedRead,
): AsyncGenerator<readonly ReadMessage[]> {
  const { stream, signal, batch } = read
  const from = { sequence: read.afterSequence + 1, filterSubject: read.filterSubject }
  const name = await createReader(api, stream, from)
  const puller = new Puller(api.link, { stream, name })
  const inbound = new Inbound()
  try {
    while (!signal.aborted) {
      const seen = inbound.changed.count
      const ready = inbound.take(batch)
      if (ready.length > 0) {
        yield ready
        continue
      }
      if (inbound.broken) return
      if (!inbound.pulling) inbound.begin(puller, batch)
      await inbound.changed.passed(seen, signal)
    }
  } finally {
    await puller[Symbol.asyncDispose]()
    dropReader(api, stream, name)
  }
}

/** What has come and was not taken yet. */
class Inbound {
  readonly changed = new Gate()
  broken = false
  pulling = false
  #messages: ReadMessage[] = []
  #delivered = 0

  begin(puller: Puller, batch: number): void {
    this.pulling = true
    const request = { batch, expiresMs: pullExpiresMs, onMessage: this.#received }
    void puller.pull(request).then((end) => {
      this.pulling = false
      if (end === 'gone') this.broken = true
      this.changed.open()
    })
  }

  take(limit: number): readonly ReadMessage[] {
    return this.#messages.splice(0, limit)
  }

  readonly #received = (message: Msg): void => {
    const { consumerSequence, streamSequence } = new Delivered(message)
    // After a gap nothing counts any more: the next consumer sends it again.
    if (this.broken) return
    if (consumerSequence !== this.#delivered + 1) {
      this.broken = true
    } else {
      this.#delivered = consumerSequence
      this.#messages.push({
        subject: message.subject,
        sequence: streamSequence,
        payload: message.data,
      })
    }
    this.changed.open()
  }
}
