import { setMaxListeners } from 'node:events'
import { PlatformError } from '@sciencediscovery/kernel'
import { type DeliveryHandler, type ReactorGroup } from '../event-store.js'
import { defaultMaxAttempts, retryDelayMs } from '../retry-delay.js'
import { outcomeOf, settledOr } from '../gate.js'
import { type Ledger } from './ledger.js'
import { type ReactorGroupState, type Work } from './reactor-group.js'
import { createSharedStop } from '../linked-signal.js'

const drainMs = 5_000

/** One member of a group: as many loops as it has slots, each with one delivery in hand. */
export class ReactorMember implements AsyncDisposable {
  readonly #group: ReactorGroup
  readonly #state: ReactorGroupState
  readonly #ledger: Ledger
  readonly #handler: DeliveryHandler
  readonly #stopTaking = createSharedStop()
  readonly #stopHandling = createSharedStop()
  readonly #loops: Promise<void>

  constructor(
    group: ReactorGroup,
    handler: DeliveryHandler,
    means: { state: ReactorGroupState; ledger: Ledger },
  ) {
    this.#group = group
    this.#handler = handler
    this.#state = means.state
    this.#ledger = means.ledger
    // Every slot listens: that many is no leak.
    setMaxListeners(0, this.#stopTaking.signal, this.#stopHandling.signal)
    this.#loops = Promise.all(Array.from({ length: group.slots }, () => this.#loop())).then(
      () => undefined,
    )
  }

  /** Takes nothing more, lets what is in hand finish, and aborts what does not. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopTaking.abort()
    await settledOr(this.#loops, new AbortController().signal, drainMs)
    this.#stopHandling.abort()
    await this.#loops
  }

  async #loop(): Promise<void> {
    for (;;) {
      const work = await this.#state.take(this.#stopTaking.signal)
      if (!work) return
      await this.#deliver(work)
    }
  }

  async #deliver(work: Work): Promise<void> {
    const outcome = await outcomeOf(this.#handle(work), this.#stopHandling.signal, (error) => {
      this.#group.onFailure?.(error, work)
    })
    if (outcome === 'done') this.#state.acknowledge(work)
    else this.#state.giveBack(work, outcome === 'failed' ? retryDelayMs(work.attempt) : 0)
  }

  async #handle({ stream, sequence, attempt }: Work): Promise<void> {
    const [stored] = await this.#ledger.commits(stream, [sequence])
    if (!stored) throw new PlatformError('bug', `nothing at ${stream}/${sequence}`)
    const exhausted = attempt > (this.#group.maxAttempts ?? defaultMaxAttempts)
    await this.#handler({ ...stored, attempt, exhausted }, this.#stopHandling.signal)
  }
}
