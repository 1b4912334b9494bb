import { type Msg } from 'nats'
import { PlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type Timers } from '../timers.js'
import { type Lease } from '../work-queue.js'
import { Delivered, nakWord } from './delivered.js'
import { type JetStreamApi } from './jetstream-api.js'
import { keepAlive } from './keep-alive.js'
import { fromWriteFailure } from './nats-failure.js'

export const JobSchema = z.object({ id: z.string(), payload: z.unknown() })

interface LeaseMeans {
  readonly api: JetStreamApi
  readonly ackWaitMs: number
  readonly timers: Timers
}

/** A job in our hands: kept alive from receipt, and lost when the server did not hear us for an ack wait. */
export class HeldLease implements Lease {
  readonly id: string
  readonly payload: unknown
  readonly attempt: number
  readonly #means: LeaseMeans
  readonly #message: Delivered
  readonly #lost = new AbortController()
  readonly #alive: Disposable
  readonly #onEnd: () => void
  #heardAt: number
  #silence: NodeJS.Timeout | undefined
  #ended = false

  constructor(means: LeaseMeans, message: Msg, job: z.infer<typeof JobSchema>, onEnd: () => void) {
    this.#means = means
    this.#message = new Delivered(message)
    this.id = job.id
    this.payload = job.payload
    this.attempt = this.#message.attempt
    this.#onEnd = onEnd
    this.#heardAt = means.timers.now()
    this.#alive = keepAlive(means.ackWaitMs, () => void this.#beat())
    this.#heard(this.#heardAt)
  }

  get lost(): AbortSignal {
    return this.#lost.signal
  }

  async complete(): Promise<void> {
    this.#end()
    await this.#answered('+ACK', `complete ${this.id}`)
    await this.#gone()
  }

  async release(delayMs = 0): Promise<void> {
    this.#end()
    await this.#answered(nakWord(delayMs), `release ${this.id}`)
  }

  /** Lets go without being asked to: our side of the connection is closing. */
  lose(): void {
    if (this.#ended) return
    this.#end()
    this.#lost.abort()
    if (!this.#means.api.link.nc.isClosed()) this.#message.nak()
  }

  async #beat(): Promise<void> {
    const { api, ackWaitMs, timers } = this.#means
    // A process that was stopped for long finds out here, before it does anything else with the job.
    if (timers.now() - this.#heardAt > ackWaitMs) {
      this.#expire()
      return
    }
    const sentAt = timers.now()
    const timeoutMs = ackWaitMs / 3
    const answered = await api.link
      .request(this.#message.replySubject, '+WPI', { timeoutMs })
      .then(() => true)
      .catch(() => false)
    // An answer that comes later says nothing: the server takes a sign of life from whoever had the job before.
    if (timers.now() - this.#heardAt > ackWaitMs) this.#expire()
    else if (answered) this.#heard(sentAt)
  }

  /** The server waits for us from then on; without a further word we have lost it as soon as it gives it away. */
  #heard(at: number): void {
    if (this.#ended) return
    this.#heardAt = at
    clearTimeout(this.#silence)
    const leftMs = at + this.#means.ackWaitMs - this.#means.timers.now()
    this.#silence = setTimeout(() => {
      this.#expire()
    }, leftMs)
  }

  #expire(): void {
    if (this.#ended) return
    this.#end()
    this.#lost.abort()
  }

  #end(): void {
    if (this.#ended) {
      throw new PlatformError('conflict', `the lease of ${this.id} was lost or is settled`, {
        reason: 'lease_lost',
        remedy: 'stop working on it: another worker has it',
      })
    }
    this.#ended = true
    clearTimeout(this.#silence)
    this.#alive[Symbol.dispose]()
    this.#onEnd()
  }

  /** On replicas the job is removed a moment after the answer; until then an offer would be taken for a repeat. */
  async #gone(): Promise<void> {
    const { api, timers } = this.#means
    const query = { last_by_subj: this.#message.message.subject }
    const endsAt = timers.now() + api.timeoutMs
    for (let pauseMs = 1; timers.now() < endsAt; pauseMs *= 2) {
      const last = await api.message(this.#message.stream, query)
      if (last?.sequence !== this.#message.streamSequence) return
      await timers.sleep(pauseMs)
    }
  }

  async #answered(word: string, what: string): Promise<void> {
    const { api } = this.#means
    try {
      await api.link.request(this.#message.replySubject, word, { timeoutMs: api.timeoutMs })
    } catch (error) {
      throw fromWriteFailure(error, what)
    }
  }
}
