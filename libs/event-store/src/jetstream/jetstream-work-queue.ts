import { createHash } from 'node:crypto'
import { type Msg } from 'nats'
import { PlatformError, invalid, isPlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { settledOr } from '../gate.js'
import { createSharedStop, hasAborted, linkedSignal } from '../linked-signal.js'
import { type Timers } from '../timers.js'
import { type Lease, type WorkQueue } from '../work-queue.js'
import { consumerState, ensureDurable } from './consumer-api.js'
import { Delivered } from './delivered.js'
import { HeldLease, JobSchema } from './held-lease.js'
import { type JetStreamApi } from './jetstream-api.js'
import { Puller } from './puller.js'
import { prefixedStream, prefixedSubject } from './streams-file.js'

export interface QueueMeans {
  readonly api: JetStreamApi
  readonly prefix: string | undefined
  /** Names of the queue streams: `PLACEMENT`. */
  readonly streams: readonly string[]
  readonly ackWaitMs: number
  readonly timers: Timers
}

interface OpenQueue {
  readonly stream: string
  readonly subject: string
  readonly consumer: string
}

const pullExpiresMs = 10_000
const retryMs = 250

/** The queue port over a work-queue stream: a message per open job, un-acked while a worker holds it. */
export class JetStreamWorkQueue implements WorkQueue {
  readonly #means: QueueMeans
  readonly #closed = createSharedStop()
  readonly #queues = new Map<string, Promise<OpenQueue>>()
  readonly #held = new Set<HeldLease>()

  constructor(means: QueueMeans) {
    this.#means = means
  }

  async offer(queue: string, id: string, payload: unknown): Promise<void> {
    const { stream, subject } = await this.#opened(queue)
    const job = Buffer.from(JSON.stringify({ id, payload }))
    // One subject per job: "nothing on the subject" is exactly "not open", without a time window.
    const name = createHash('sha256').update(id).digest('hex').slice(0, 32)
    try {
      const target = { stream, subject: `${subject}.${name}`, payload: job, expectedSequence: 0 }
      await this.#means.api.publish({ ...target, signal: this.#closed.signal })
    } catch (error) {
      if (!isPlatformError(error) || error.code !== 'conflict') throw error
    }
  }

  async take(queue: string, signal: AbortSignal): Promise<Lease | undefined> {
    using link = linkedSignal(signal, this.#closed.signal)
    const { stream, consumer } = await this.#opened(queue)
    let taken = false
    const received: Msg[] = []
    const puller = new Puller(this.#means.api.link, { stream, name: consumer }, handBack)
    try {
      while (!link.signal.aborted) {
        const pull = puller.pull({
          batch: 1,
          expiresMs: pullExpiresMs,
          onMessage: (message) => {
            if (taken) handBack(message)
            else received.push(message)
          },
        })
        await settledOr(pull, link.signal)
        const [message] = received
        if (message) return this.#leaseOf(message)
        if (!hasAborted(link.signal) && (await pull) === 'gone')
          await this.#restore(queue, link.signal)
      }
      return undefined
    } finally {
      taken = true
      await puller[Symbol.asyncDispose]()
    }
  }

  async waiting(queue: string): Promise<number> {
    const { stream, consumer } = await this.#opened(queue)
    return (await consumerState(this.#means.api, stream, consumer))?.num_pending ?? 0
  }

  /** Gives every lease back at once: another worker need not wait for the silence to be noticed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    for (const lease of this.#held) lease.lose()
    this.#held.clear()
    const { nc } = this.#means.api.link
    if (!nc.isClosed()) await nc.flush().catch(() => undefined)
  }

  async #restore(queue: string, signal: AbortSignal): Promise<void> {
    await this.#means.timers.sleep(retryMs, signal)
    this.#queues.delete(queue)
    try {
      await this.#opened(queue)
    } catch (error) {
      if (!isPlatformError(error) || error.code !== 'unavailable') throw error
    }
  }

  #opened(queue: string): Promise<OpenQueue> {
    if (this.#closed.signal.aborted) throw new PlatformError('unavailable', 'the queue is closed')
    const known = this.#queues.get(queue)
    if (known) return known
    const opening = this.#open(queue)
    this.#queues.set(queue, opening)
    opening.catch(() => this.#queues.delete(queue))
    return opening
  }

  async #open(queue: string): Promise<OpenQueue> {
    const noun = queue.split('.', 1)[0] ?? ''
    const stream = noun.toUpperCase()
    if (!/^[a-z]+(\.[A-Za-z0-9_-]+)+$/.test(queue) || !this.#means.streams.includes(stream)) {
      throw invalid('queue', `${JSON.stringify(queue)} is no queue`, 'name it placement.<pool>')
    }
    const { api, prefix } = this.#means
    const opened = {
      stream: prefixedStream(stream, prefix),
      subject: prefixedSubject(queue, prefix),
      consumer: queue.replaceAll('.', '-'),
    }
    await ensureDurable(api, opened.stream, this.#durable(opened.consumer, queue))
    return opened
  }

  #durable(
    consumer: string,
    queue: string,
  ): { name: string; ackWaitMs: number; deliverPolicy: 'all'; filterSubject: string } {
    const filterSubject = `${prefixedSubject(queue, this.#means.prefix)}.*`
    return { name: consumer, ackWaitMs: this.#means.ackWaitMs, deliverPolicy: 'all', filterSubject }
  }

  #leaseOf(message: Msg): Lease {
    const job = JobSchema.parse(z.json().parse(JSON.parse(Buffer.from(message.data).toString())))
    const lease = new HeldLease(this.#means, message, job, () => this.#held.delete(lease))
    this.#held.add(lease)
    return lease
  }
}

function handBack(message: Msg): void {
  new Delivered(message).nak()
}
