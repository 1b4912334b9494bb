/** Wakes everybody who waits for the next change. */
export class Pulse {
  #waiting: (() => void)[] = []

  /** Resolves at the next beat, or when the signal aborts. */
  next(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) {
        resolve()
        return
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      signal?.addEventListener('abort', wake, { once: true })
      this.#waiting.push(wake)
    })
  }

  beat(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }
}
