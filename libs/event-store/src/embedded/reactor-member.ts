import { type DeliveryHandler, type ReactorGroup } from '../event-store.js'
import { defaultMaxAttempts, retryDelayMs } from '../retry-delay.js'
import { settledOr } from '../gate.js'
import { type Ledger } from './ledger.js'
import { type ReactorGroupState, type Work } from './reactor-group.js'

const drainMs = 5_000

/** One member of a group: as many loops as it has slots, each with one delivery in hand. */
export class ReactorMember implements AsyncDisposable {
  readonly #group: ReactorGroup
  readonly #state: ReactorGroupState
  readonly #ledger: Ledger
  readonly #handler: DeliveryHandler
  readonly #stopTaking = new AbortController()
  readonly #stopHandling = new AbortController()
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
    const signal = this.#stopHandling.signal
    const exhausted = work.attempt > (this.#group.maxAttempts ?? defaultMaxAttempts)
    let settled = false
    const handling = this.#ledger.commits(work.stream, [work.sequence]).then(async ([stored]) => {
      if (!stored) throw new Error(`nothing at ${work.stream}/${work.sequence}`)
      await this.#handler({ ...stored, attempt: work.attempt, exhausted }, signal)
    })
    const outcome = handling.then(
      () => {
        if (!settled) this.#state.acknowledge(work)
        settled = true
      },
      () => {
        if (!settled) this.#state.giveBack(work, retryDelayMs(work.attempt))
        settled = true
      },
    )
    await settledOr(outcome, signal)
    if (settled) return
    settled = true
    this.#state.giveBack(work, 0)
  }
}
