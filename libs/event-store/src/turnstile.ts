/** Lets one caller per key through at a time, in order of arrival. */
export class Turnstile {
  readonly #tails = new Map<string, Promise<void>>()

  /** Resolves to the leave function when it is the caller's turn, or undefined when the signal aborts first. */
  async enter(key: string, signal: AbortSignal): Promise<(() => void) | undefined> {
    const before = this.#tails.get(key)
    let leave: () => void = () => undefined
    const gone = new Promise<void>((resolve) => (leave = resolve))
    const tail = before ? before.then(() => gone) : gone
    this.#tails.set(key, tail)
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key)
    })
    if (before && !(await first(before, signal))) {
      leave()
      return undefined
    }
    return leave
  }
}

async function first(turn: Promise<void>, signal: AbortSignal): Promise<boolean> {
  let stop: () => void = () => undefined
  const aborted = new Promise<boolean>((resolve) => {
    stop = () => {
      resolve(false)
    }
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
  const mine = await Promise.race([turn.then(() => true), aborted])
  signal.removeEventListener('abort', stop)
  return mine
}
