import { PlatformError } from '@sciencediscovery/kernel'

/** Holding it is the right to write; given back once. */
export interface Turn {
  release(): void
}

interface Waiter {
  readonly holder: string
  readonly grant: (turn: Turn) => void
}

/** One writer at a time, first come first served. */
export class WriterLock {
  readonly #waiting: Waiter[] = []
  #holder: string | undefined

  /** Who writes now: an execution id, or what a file tool does. */
  get holder(): string | undefined {
    return this.#holder
  }

  get idle(): boolean {
    return this.#holder === undefined && this.#waiting.length === 0
  }

  /** The turn when nobody has it and nobody waits. */
  tryAcquire(holder: string): Turn | undefined {
    return this.idle ? this.#give(holder) : undefined
  }

  /** Waits for the turn; throws what the signal says when it aborts before. */
  acquire(holder: string, signal: AbortSignal): Promise<Turn> {
    const now = this.tryAcquire(holder)
    if (now) return Promise.resolve(now)
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        const index = this.#waiting.indexOf(waiter)
        if (index >= 0) this.#waiting.splice(index, 1)
        reject(
          new PlatformError('cancelled', `no turn to write: ${this.#holder ?? 'nobody'} writes`),
        )
      }
      const waiter: Waiter = {
        holder,
        grant: (turn) => {
          signal.removeEventListener('abort', leave)
          resolve(turn)
        },
      }
      if (signal.aborted) {
        leave()
        return
      }
      this.#waiting.push(waiter)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  #give(holder: string): Turn {
    this.#holder = holder
    const state = { released: false }
    return {
      release: () => {
        if (state.released) return
        state.released = true
        this.#holder = undefined
        const next = this.#waiting.shift()
        if (next) next.grant(this.#give(next.holder))
      },
    }
  }
}
