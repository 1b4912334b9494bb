import { type AnyDatabase } from '@sciencediscovery/db'
import { type Timers, systemTimers } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { readSequences } from './checkpoint-rows.js'
import { badPosition, type Position } from './position.js'

/** Whose checkpoints to watch. */
export interface PositionWaiterOptions {
  readonly view: string
  /** The physical streams the view reads. */
  readonly streams: readonly string[]
  readonly database: AnyDatabase
  readonly timers?: Timers
  /** Told, as often as it looks, that somebody waits for this stream. */
  readonly onWaiting?: (stream: string) => void
}

/** How long to wait. */
export interface WaitForPositionOptions {
  /** Default 2 000. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

const pollMs = 25
const retryAfterMs = 1_000

/** Lets queries wait until a view has read what the caller wrote, whichever process reads the stream. */
export class PositionWaiter {
  readonly #options: PositionWaiterOptions
  readonly #timers: Timers
  readonly #wakers = new Set<() => void>()
  #looking: Promise<ReadonlyMap<string, number>> | undefined

  constructor(options: PositionWaiterOptions) {
    this.#options = options
    this.#timers = options.timers ?? systemTimers
  }

  /** Resolves as soon as the view is there; `unavailable` when it is not in time. */
  async wait(
    position: Position,
    { timeoutMs = 2_000, signal }: WaitForPositionOptions = {},
  ): Promise<void> {
    const { view, streams } = this.#options
    if (!streams.includes(position.stream))
      throw badPosition(`${position.stream} is not a stream of the view ${view}`)
    const deadline = this.#timers.deadline(timeoutMs, signal)
    try {
      const there = await Promise.race([
        this.#untilThere(position, deadline.signal),
        aborted(deadline.signal),
      ])
      if (!there) throw signal?.aborted === true ? cancelled() : notThereYet(view, timeoutMs)
    } finally {
      deadline.clear()
    }
  }

  /** A hint that a checkpoint moved in this process: those who wait look at once. */
  moved(): void {
    for (const wake of this.#wakers) wake()
  }

  async #untilThere({ stream, sequence }: Position, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const hint = this.#nextHint(signal)
      const sequences = await this.#look()
      if ((sequences.get(stream) ?? 0) >= sequence) return true
      this.#options.onWaiting?.(stream)
      await hint
    }
    return false
  }

  /** One look serves all who wait at that moment. */
  #look(): Promise<ReadonlyMap<string, number>> {
    this.#looking ??= readSequences(this.#options.database.untyped, this.#options.view).finally(
      () => {
        this.#looking = undefined
      },
    )
    return this.#looking
  }

  async #nextHint(signal: AbortSignal): Promise<void> {
    const woken = new AbortController()
    const wake = (): void => {
      woken.abort()
    }
    this.#wakers.add(wake)
    await this.#timers.sleep(pollMs, AbortSignal.any([signal, woken.signal]))
    this.#wakers.delete(wake)
  }
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => {
      resolve(false)
    })
  })
}

function notThereYet(view: string, timeoutMs: number): PlatformError {
  return new PlatformError(
    'unavailable',
    `the view ${view} did not reach the position within ${timeoutMs} ms`,
    {
      reason: 'view_behind',
      retryAfterMs,
      remedy: 'ask again, or leave min_position out to read what is there',
    },
  )
}

function cancelled(): PlatformError {
  return new PlatformError('cancelled', 'the caller left')
}
