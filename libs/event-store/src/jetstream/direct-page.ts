import { type Msg } from 'nats'
import { PlatformError } from '@sciencediscovery/kernel'
import { type JetStreamApi } from './jetstream-api.js'
import { fromReadFailure } from './nats-failure.js'
import { type ReadMessage } from './ordered-reader.js'

export interface PageQuery {
  readonly stream: string
  readonly subject: string
  readonly afterSequence: number
  readonly batch: number
  readonly signal: AbortSignal | undefined
}

/** One answer to a direct read. `whole` is false when the server sends one message per request. */
export interface Page {
  readonly messages: readonly ReadMessage[]
  readonly whole: boolean
}

/**
 * Asks any replica for the next messages of a subject. From 2.11 on they come in one row that ends with an
 * empty message; an older server does not know `batch`, sends one, and says nothing about the end.
 */
export function directPage(api: JetStreamApi, query: PageQuery): Promise<Page> {
  const { stream, subject, afterSequence, batch, signal } = query
  const { nc } = api.link
  const what = `read ${subject}`
  return new Promise((resolve, reject) => {
    const messages: ReadMessage[] = []
    const inbox = api.link.newInbox()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      if (!nc.isClosed()) subscription.unsubscribe()
    }
    const fail = (error: unknown): void => {
      end()
      reject(fromReadFailure(error, what))
    }
    const done = (whole: boolean): void => {
      end()
      resolve({ messages, whole })
    }
    const leave = (): void => {
      fail(new PlatformError('cancelled', 'the caller left'))
    }
    const subscription = nc.subscribe(inbox, {
      callback: (error, message) => {
        if (error) fail(error)
        else if (message.data.length === 0) settle(message.headers?.code ?? 0)
        else take(message)
      },
    })
    const take = (message: Msg): void => {
      const sequence = Number(message.headers?.get('Nats-Sequence'))
      messages.push({ subject, sequence, payload: message.data })
      if (message.headers?.has('Nats-Num-Pending') !== true) done(false)
    }
    /** 204: the row is over; 404: there is none. */
    const settle = (status: number): void => {
      if (status === 204 || status === 404) done(true)
      else fail(new PlatformError('unavailable', `${what}: status ${status}`))
    }
    const timer = setTimeout(fail, api.timeoutMs, new Error('no answer'))
    signal?.addEventListener('abort', leave, { once: true })
    const ask = { seq: afterSequence + 1, next_by_subj: subject, batch }
    nc.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(ask), { reply: inbox })
  })
}
