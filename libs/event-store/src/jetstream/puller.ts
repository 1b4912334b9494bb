import { type Msg } from 'nats'
import { type NatsLink } from './nats-connection.js'

/** Why a pull ended: it got all it asked for, the time is over, or the consumer cannot be reached. */
export type PullEnd = 'filled' | 'expired' | 'gone'

export interface PullRequest {
  readonly batch: number
  /** How long the server keeps the request open; without it, only what is there now is sent. */
  readonly expiresMs?: number
  readonly onMessage: (message: Msg) => void
}

interface OpenPull extends PullRequest {
  readonly reply: string
  readonly end: (reason: PullEnd) => void
}

const watchdogMs = 2_000

/**
 * One pull request at a time on a consumer. nats.js would prefetch; here exactly as many messages are
 * on their way as somebody is free to take, and what comes too late is handed to `onLate`. (A message
 * carries the subject it was published on, so only a subscription of one's own tells whose it is.)
 */
export class Puller implements AsyncDisposable {
  readonly #link: NatsLink
  readonly #nextSubject: string
  readonly #inbox: string
  readonly #subscription
  readonly #onLate: (message: Msg) => void
  #open: OpenPull | undefined
  #missing = 0
  #count = 0

  constructor(
    link: NatsLink,
    consumer: { readonly stream: string; readonly name: string },
    onLate: (message: Msg) => void = () => undefined,
  ) {
    this.#link = link
    this.#inbox = link.newInbox()
    this.#onLate = onLate
    this.#nextSubject = `$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${consumer.name}`
    this.#subscription = link.nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (!error) this.#received(message)
      },
    })
  }

  /** Resolves when the request is over. A connection that was lost ends it: the server has forgotten it. */
  pull(request: PullRequest): Promise<PullEnd> {
    this.#count += 1
    this.#missing = request.batch
    const reply = `${this.#inbox}.${this.#count}`
    return new Promise((resolve) => {
      let over = false
      const end = (reason: PullEnd): void => {
        if (over) return
        over = true
        clearTimeout(watchdog)
        off()
        this.#open = undefined
        resolve(reason)
      }
      const watchdog = setTimeout(end, (request.expiresMs ?? 0) + watchdogMs, 'gone')
      this.#open = { ...request, reply, end }
      const off = this.#link.reconnected.onOpen(() => {
        end('gone')
      })
      this.#ask(request, reply)
    })
  }

  /** Ends the open pull; what the server had sent already goes to `onLate`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#open?.end('expired')
    if (this.#link.nc.isClosed()) return
    await this.#subscription.drain().catch(() => undefined)
  }

  #ask({ batch, expiresMs }: PullRequest, reply: string): void {
    const wait = expiresMs === undefined ? { no_wait: true } : { expires: expiresMs * 1_000_000 }
    try {
      this.#link.nc.publish(this.#nextSubject, JSON.stringify({ batch, ...wait }), { reply })
    } catch {
      this.#open?.end('gone')
    }
  }

  #received(message: Msg): void {
    const status = message.data.length === 0 && message.headers ? message.headers.code : 0
    if (status !== 0) {
      if (message.subject === this.#open?.reply)
        this.#open.end(status === 404 || status === 408 ? 'expired' : 'gone')
      return
    }
    if (!this.#open) {
      this.#onLate(message)
      return
    }
    this.#missing -= 1
    this.#open.onMessage(message)
    if (this.#missing === 0) this.#open.end('filled')
  }
}
