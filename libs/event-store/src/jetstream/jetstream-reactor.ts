import { type Msg } from 'nats'
import { type DeliveryHandler, type ReactorGroup } from '../event-store.js'
import { outcomeOf, settledOr } from '../gate.js'
import { createSharedStop, hasAborted } from '../linked-signal.js'
import { defaultMaxAttempts, retryDelayMs } from '../retry-delay.js'
import { type Timers } from '../timers.js'
import { ensureDurable } from './consumer-api.js'
import { Delivered } from './delivered.js'
import { keepAlive } from './keep-alive.js'
import { type JetStreamApi } from './jetstream-api.js'
import { Puller } from './puller.js'
import { Slots } from './slots.js'
import { toStored } from './to-stored.js'

interface GroupStream {
  readonly stream: string
  /** As the server calls it. */
  readonly name: string
}

interface Membership {
  readonly group: ReactorGroup
  readonly handler: DeliveryHandler
  readonly streams: readonly GroupStream[]
  readonly timers: Timers
}

const pullExpiresMs = 10_000
const retryMs = 500
const drainMs = 5_000
const defaultAckWaitMs = 30_000

/** Joins a reactor group: one durable consumer per stream, shared by all members. */
export async function joinGroup(
  api: JetStreamApi,
  membership: Membership,
): Promise<AsyncDisposable> {
  const { group, streams } = membership
  for (const { name } of streams) await ensureDurable(api, name, durableOf(group))
  return new Member(api, membership)
}

function durableOf(group: ReactorGroup): { name: string; ackWaitMs: number; deliverPolicy: 'new' } {
  return { name: group.name, ackWaitMs: group.ackWaitMs ?? defaultAckWaitMs, deliverPolicy: 'new' }
}

class Member implements AsyncDisposable {
  readonly #api: JetStreamApi
  readonly #membership: Membership
  readonly #slots: Slots
  readonly #stopPulling = createSharedStop()
  readonly #stopHandling = createSharedStop()
  readonly #pullers = new Set<Puller>()
  readonly #loops: Promise<void>

  constructor(api: JetStreamApi, membership: Membership) {
    this.#api = api
    this.#membership = membership
    const { group, streams } = membership
    this.#slots = new Slots(group.slots)
    // One pull of one message per slot; with fewer slots than streams the rest waits, kept alive, for a slot.
    const perStream = Math.ceil(group.slots / streams.length)
    const loops = streams.flatMap((stream) =>
      Array.from({ length: perStream }, () => this.#loop(stream)),
    )
    this.#loops = Promise.all(loops).then(() => undefined)
  }

  /** Takes nothing more, lets what is in hand finish, and aborts what does not. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopPulling.abort()
    await Promise.all([...this.#pullers].map((puller) => puller[Symbol.asyncDispose]()))
    await settledOr(this.#loops, new AbortController().signal, drainMs)
    this.#stopHandling.abort()
    await this.#loops
    if (!this.#api.link.nc.isClosed()) await this.#api.link.nc.flush().catch(() => undefined)
  }

  async #loop(stream: GroupStream): Promise<void> {
    const stop = this.#stopPulling.signal
    const consumer = { stream: stream.name, name: this.#membership.group.name }
    const puller = new Puller(this.#api.link, consumer, (message) => {
      new Delivered(message).nak()
    })
    this.#pullers.add(puller)
    while (!stop.aborted) {
      const received: Msg[] = []
      const end = await puller.pull({
        batch: 1,
        expiresMs: pullExpiresMs,
        onMessage: (message) => received.push(message),
      })
      for (const message of received) await this.#settle(stream, new Delivered(message))
      if (end !== 'gone' || hasAborted(stop)) continue
      await this.#membership.timers.sleep(retryMs, stop)
      if (!hasAborted(stop)) await this.#restore(stream)
    }
  }

  /** The consumer may have been lost with its server: it is made again, at the end of the stream. */
  async #restore({ stream, name }: GroupStream): Promise<void> {
    const { group } = this.#membership
    try {
      await ensureDurable(this.#api, name, durableOf(group))
    } catch (error) {
      // The next pull shows whether it is there: giving up would leave the stream without a reader.
      group.onFailure?.(error, { stream, sequence: 0, attempt: 0 })
    }
  }

  async #settle(stream: GroupStream, message: Delivered): Promise<void> {
    const { group } = this.#membership
    using alive = keepAlive(group.ackWaitMs ?? defaultAckWaitMs, () => {
      message.working()
    })
    const leave = await this.#slots.enter(this.#stopPulling.signal)
    if (!leave) {
      message.nak()
      return
    }
    const outcome = await this.#handle(stream, message)
    alive[Symbol.dispose]()
    if (outcome === 'done') message.ack()
    else message.nak(outcome === 'failed' ? retryDelayMs(message.attempt) : 0)
    leave()
  }

  #handle(
    { stream }: GroupStream,
    { message, attempt, streamSequence }: Delivered,
  ): Promise<'done' | 'failed' | 'stopped'> {
    const { group, handler } = this.#membership
    const exhausted = attempt > (group.maxAttempts ?? defaultMaxAttempts)
    const place = { sequence: streamSequence, payload: message.data }
    const handling = async (): Promise<void> => {
      await handler({ ...toStored(place, stream), attempt, exhausted }, this.#stopHandling.signal)
    }
    return outcomeOf(handling(), this.#stopHandling.signal, (error) => {
      group.onFailure?.(error, { stream, sequence: streamSequence, attempt })
    })
  }
}
