/** Wakes everybody who waits, each time something happens. Take `next` before looking, then await it. */
export class Gate {
  #open: () => void = () => undefined
  #next = this.#fresh()

  get next(): Promise<void> {
    return this.#next
  }

  open(): void {
    this.#open()
    this.#next = this.#fresh()
  }

  #fresh(): Promise<void> {
    return new Promise((resolve) => (this.#open = resolve))
  }
}

/** Resolves when the promise does, the signal aborts, or the time is over. Never rejects. */
export async function waitFor(
  promise: Promise<void>,
  signal: AbortSignal,
  ms?: number,
): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done, { once: true })
    promise.then(done, done)
  })
}
