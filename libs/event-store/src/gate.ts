/** Wakes everybody who waits, each time something happens. Take `count` before looking, then wait for more. */
export class Gate {
  readonly #listeners = new Set<() => void>()
  #count = 0

  /** How often it was opened. */
  get count(): number {
    return this.#count
  }

  open(): void {
    this.#count += 1
    for (const listener of [...this.#listeners]) listener()
  }

  /** Calls the listener each time; gives the way to stop that. */
  onOpen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when it was opened more often than `seen`, the signal aborts, or the time is over. */
  async passed(seen: number, signal: AbortSignal, ms?: number): Promise<void> {
    if (this.#count > seen || signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(done, ms)
      const off = this.onOpen(done)
      function done(): void {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        off()
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
    })
  }
}

/** Resolves when the promise settles, the signal aborts, or the time is over. Never rejects. */
export async function settledOr(
  promise: Promise<unknown>,
  signal: AbortSignal,
  ms?: number,
): Promise<void> {
  const gate = new Gate()
  const open = (): void => {
    gate.open()
  }
  promise.then(open, open)
  await gate.passed(0, signal, ms)
}

/** How the work ended, or `stopped` when the signal aborted first; what it does after that is nobody's. */
export async function outcomeOf(
  work: Promise<unknown>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<'done' | 'failed' | 'stopped'> {
  const outcomes: ('done' | 'failed')[] = []
  const noted = work.then(
    () => outcomes.push('done'),
    (error: unknown) => {
      onFailure(error)
      outcomes.push('failed')
    },
  )
  await settledOr(noted, signal)
  return outcomes[0] ?? 'stopped'
}
