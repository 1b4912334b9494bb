import { EventEmitter } from 'node:events'
import { PlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { type Signals } from '../signals.js'
import { isTopicOf, refuseBadTopic } from '../topic.js'

type Listener = (payload: unknown, topic: string) => void
type Responder = (payload: unknown) => Promise<unknown>

/** What all sessions of one embedded store send each other. */
export interface SignalBoard {
  readonly emitter: EventEmitter
  readonly responders: Map<string, Set<Responder>>
}

/** An empty board. */
export function createSignalBoard(): SignalBoard {
  const emitter = new EventEmitter()
  emitter.setMaxListeners(0)
  return { emitter, responders: new Map() }
}

/** The signals port inside one process. Payloads are copied, as a wire would. */
export class EmbeddedSignals implements Signals {
  readonly #board: SignalBoard
  readonly #endings = new Set<() => void>()

  constructor(board: SignalBoard) {
    this.#board = board
  }

  publish(topic: string, payload: unknown): void {
    refuseBadTopic(topic, false)
    const copy = copyOf(payload)
    queueMicrotask(() => this.#board.emitter.emit('signal', topic, copy))
  }

  subscribe(topic: string, handler: Listener): Promise<AsyncDisposable> {
    refuseBadTopic(topic, true)
    const listener = (sent: string, payload: unknown): void => {
      if (isTopicOf(sent, topic)) handler(payload, sent)
    }
    this.#board.emitter.on('signal', listener)
    return Promise.resolve(this.#endedBy(() => this.#board.emitter.off('signal', listener)))
  }

  respond(topic: string, handler: Responder): Promise<AsyncDisposable> {
    refuseBadTopic(topic, false)
    const responders = this.#board.responders.get(topic) ?? new Set()
    this.#board.responders.set(topic, responders)
    responders.add(handler)
    return Promise.resolve(this.#endedBy(() => responders.delete(handler)))
  }

  async request(topic: string, payload: unknown, timeoutMs: number): Promise<unknown> {
    refuseBadTopic(topic, false)
    const [responder] = this.#board.responders.get(topic) ?? []
    if (!responder)
      throw new PlatformError('unavailable', `nobody answers ${topic}`, { reason: 'no_responders' })
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new PlatformError('deadline', `no answer to ${topic} within ${timeoutMs} ms`))
      }, timeoutMs)
    })
    const answer = responder(copyOf(payload)).then(copyOf, (error: unknown) => {
      throw toPlatformError(error)
    })
    return Promise.race([answer, timeout]).finally(() => {
      clearTimeout(timer)
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#endings) end()
    this.#endings.clear()
    return Promise.resolve()
  }

  #endedBy(end: () => void): AsyncDisposable {
    this.#endings.add(end)
    return {
      [Symbol.asyncDispose]: () => {
        end()
        this.#endings.delete(end)
        return Promise.resolve()
      },
    }
  }
}

function copyOf(payload: unknown): unknown {
  return payload === undefined ? undefined : structuredClone(payload)
}
