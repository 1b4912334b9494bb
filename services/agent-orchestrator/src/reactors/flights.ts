/** An effect that this replica has started and that has not ended. */
interface Flight {
  readonly controller: AbortController
  readonly runId: string
  readonly done: Promise<void>
}

/** The effects in flight on this replica: each request is started once. */
export class Flights {
  readonly #flights = new Map<string, Flight>()

  get size(): number {
    return this.#flights.size
  }

  /** Starts the work unless it is in flight. It must not throw. */
  start(key: string, runId: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#flights.has(key)) return
    const controller = new AbortController()
    const done = work(controller.signal).finally(() => this.#flights.delete(key))
    this.#flights.set(key, { controller, runId, done })
  }

  abort(runId?: string): void {
    for (const flight of this.#of(runId)) flight.controller.abort()
  }

  /** Resolves when the flights of the run (or all) have ended, or when the wait is over. */
  async ended(waitMs: number, runId?: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const wait = new Promise((resolve) => {
      timer = setTimeout(resolve, waitMs)
    })
    await Promise.race([Promise.all(this.#of(runId).map((flight) => flight.done)), wait])
    clearTimeout(timer)
  }

  #of(runId: string | undefined): readonly Flight[] {
    const all = [...this.#flights.values()]
    return runId === undefined ? all : all.filter((flight) => flight.runId === runId)
  }
}
