import { PlatformError } from '@sciencediscovery/kernel'
import { createSharedStop, linkedSignal } from '../linked-signal.js'
import { type Lease, type WorkQueue } from '../work-queue.js'
import { type Job, type JobBoard } from './job-board.js'

/** The queue port over the shared board. Its leases last as long as it does. */
export class EmbeddedWorkQueue implements WorkQueue {
  readonly #board: JobBoard
  readonly #closed = createSharedStop()
  readonly #held = new Map<Job, AbortController>()

  constructor(board: JobBoard) {
    this.#board = board
  }

  offer(queue: string, id: string, payload: unknown): Promise<void> {
    return this.#board.offer(queue, id, payload)
  }

  async take(queue: string, signal: AbortSignal): Promise<Lease | undefined> {
    using link = linkedSignal(signal, this.#closed.signal)
    const live = link.signal
    const job = await this.#board.take(queue, live)
    if (!job) return undefined
    if (!live.aborted) return this.#leaseOf(job)
    this.#board.putBack(job, 0)
    return undefined
  }

  waiting(queue: string): Promise<number> {
    return Promise.resolve(this.#board.waiting(queue))
  }

  /** Lets go of every lease, as the death of this process would. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort()
    for (const [job, lost] of this.#held) {
      lost.abort()
      this.#board.putBack(job, 0)
    }
    this.#held.clear()
    return Promise.resolve()
  }

  #leaseOf(job: Job): Lease {
    const lost = new AbortController()
    this.#held.set(job, lost)
    const letGo = (): void => {
      if (!this.#held.delete(job)) throw leaseLost(job)
    }
    return {
      id: job.id,
      payload: job.payload,
      attempt: job.attempt,
      lost: lost.signal,
      complete: async () => {
        letGo()
        await this.#board.complete(job)
      },
      release: (delayMs = 0) => {
        letGo()
        this.#board.putBack(job, delayMs)
        return Promise.resolve()
      },
    }
  }
}

function leaseLost(job: Job): PlatformError {
  return new PlatformError(
    'conflict',
    `${job.queue}: the lease of ${job.id} was lost or is settled`,
    {
      reason: 'lease_lost',
      remedy: 'stop working on it: another worker has it',
    },
  )
}
