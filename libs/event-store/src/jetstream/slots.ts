/** At most so many at once; the others wait in order of arrival. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves to the leave function, or undefined when the signal aborts first. */
  async enter(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return undefined
    if (this.#free > 0) {
      this.#free -= 1
      return this.#leave
    }
    return new Promise((resolve) => {
      const enter = (): void => {
        signal.removeEventListener('abort', giveUp)
        resolve(this.#leave)
      }
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        resolve(undefined)
      }
      this.#waiting.push(enter)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }

  readonly #leave = (): void => {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
