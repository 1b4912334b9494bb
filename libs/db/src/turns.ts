import { PlatformError } from '@sciencediscovery/kernel'

/** Gives one thing to one taker at a time, in the order they asked. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #taken = false

  /** Resolves with the function that gives the turn back, or throws `unavailable` after the time-out. */
  async take(timeoutMs: number): Promise<() => void> {
    if (this.#taken) await this.#wait(timeoutMs)
    this.#taken = true
    let held = true
    return () => {
      if (!held) return
      held = false
      this.#next()
    }
  }

  #next(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#taken = false
    else next()
  }

  #wait(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(start), 1)
        reject(busy(timeoutMs))
      }, timeoutMs)
      this.#waiting.push(start)
    })
  }
}

function busy(timeoutMs: number): PlatformError {
  return new PlatformError(
    'unavailable',
    `the one database connection was busy for ${timeoutMs} ms`,
    {
      remedy: 'inside a transaction use only the transaction, never the database it came from',
    },
  )
}
