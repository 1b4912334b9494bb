import { type Msg } from 'nats'
import { PlatformError, errorCodes, invalid, toPlatformError } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type Signals } from '../signals.js'
import { refuseBadTopic } from '../topic.js'
import { type NatsLink } from './nats-connection.js'
import { fromReadFailure, isNoResponders, isTimeout } from './nats-failure.js'
import { prefixedSubject } from './streams-file.js'

const AnswerSchema = z.union([
  z.object({ ok: z.unknown(), error: z.undefined().optional() }),
  z.object({ error: z.object({ code: z.enum(errorCodes), message: z.string() }) }),
])

export interface SignalMeans {
  readonly link: NatsLink
  readonly prefix: string | undefined
  /** First tokens that belong to streams: a signal there would be stored. */
  readonly nouns: ReadonlySet<string>
}

/** The signals port over core NATS. */
export class NatsSignals implements Signals {
  readonly #means: SignalMeans
  readonly #subscriptions = new Set<AsyncDisposable>()

  constructor(means: SignalMeans) {
    this.#means = means
  }

  publish(topic: string, payload: unknown): void {
    const subject = this.#subjectOf(topic, false)
    if (!this.#means.link.nc.isClosed()) this.#means.link.nc.publish(subject, encode(payload))
  }

  async subscribe(
    topic: string,
    handler: (payload: unknown, topic: string) => void,
  ): Promise<AsyncDisposable> {
    const skipped = this.#means.prefix === undefined ? 0 : this.#means.prefix.length + 1
    return this.#listen(topic, (message) => {
      handler(decode(message.data), message.subject.slice(skipped))
    })
  }

  async respond(
    topic: string,
    handler: (payload: unknown) => Promise<unknown>,
  ): Promise<AsyncDisposable> {
    return this.#listen(
      topic,
      (message) => {
        void answerOf(handler, message).then((answer) => message.respond(encode(answer)))
      },
      'responders',
    )
  }

  async request(topic: string, payload: unknown, timeoutMs: number): Promise<unknown> {
    const subject = this.#subjectOf(topic, false)
    const answer = AnswerSchema.parse(decode((await this.#ask(subject, payload, timeoutMs)).data))
    if (answer.error) throw new PlatformError(answer.error.code, answer.error.message)
    return 'ok' in answer ? answer.ok : undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const subscription of [...this.#subscriptions]) await subscription[Symbol.asyncDispose]()
  }

  async #ask(subject: string, payload: unknown, timeoutMs: number): Promise<Msg> {
    try {
      return await this.#means.link.request(subject, encode(payload), { timeoutMs })
    } catch (error) {
      if (isNoResponders(error)) {
        throw new PlatformError('unavailable', `nobody answers ${subject}`, {
          reason: 'no_responders',
          cause: error,
        })
      }
      if (isTimeout(error)) {
        throw new PlatformError('deadline', `no answer to ${subject} within ${timeoutMs} ms`, {
          cause: error,
        })
      }
      throw fromReadFailure(error, subject)
    }
  }

  async #listen(
    topic: string,
    onMessage: (message: Msg) => void,
    queue?: string,
  ): Promise<AsyncDisposable> {
    const { nc } = this.#means.link
    const subscription = nc.subscribe(this.#subjectOf(topic, true), {
      ...(queue === undefined ? {} : { queue }),
      callback: (error, message) => {
        if (!error) onMessage(message)
      },
    })
    await nc.flush()
    const ending = {
      [Symbol.asyncDispose]: async () => {
        this.#subscriptions.delete(ending)
        if (nc.isClosed()) return
        subscription.unsubscribe()
        await nc.flush().catch(() => undefined)
      },
    }
    this.#subscriptions.add(ending)
    return ending
  }

  #subjectOf(topic: string, mayMatch: boolean): string {
    refuseBadTopic(topic, mayMatch)
    if (this.#means.nouns.has(topic.split('.', 1)[0] ?? '')) {
      throw invalid(
        'topic',
        `${topic} belongs to a stream`,
        'choose another first word for the signal',
      )
    }
    return prefixedSubject(topic, this.#means.prefix)
  }
}

async function answerOf(
  handler: (payload: unknown) => Promise<unknown>,
  message: Msg,
): Promise<unknown> {
  try {
    return { ok: await handler(decode(message.data)) }
  } catch (error) {
    const { code, message: text } = toPlatformError(error)
    return { error: { code, message: text } }
  }
}

function encode(payload: unknown): string {
  return payload === undefined ? '' : JSON.stringify(payload)
}

function decode(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  try {
    return z.unknown().parse(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    // Not from us: a hint that says nothing.
    return undefined
  }
}
