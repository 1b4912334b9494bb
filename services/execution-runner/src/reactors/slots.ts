/** How many executions run at once on this replica. Projects that wait take turns, each in the order of its asks. */
export class Slots {
  /** By project, the one whose turn is next first. */
  readonly #waiting = new Map<string, (() => void)[]>()
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  /** Takes a slot that nobody waits for. */
  tryTake(): boolean {
    if (this.#free === 0 || this.#waiting.size > 0) return false
    this.#free -= 1
    return true
  }

  /** Waits for a slot: however many a project asks for, another one is not behind all of them. */
  async take(projectId: string): Promise<void> {
    if (this.tryTake()) return
    await new Promise<void>((resolve) => {
      const asks = this.#waiting.get(projectId) ?? []
      asks.push(resolve)
      this.#waiting.set(projectId, asks)
    })
  }

  giveBack(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#free += 1
      return
    }
    const [projectId, [first, ...others]] = next
    // Set again, a project comes behind all others.
    this.#waiting.delete(projectId)
    if (others.length > 0) this.#waiting.set(projectId, others)
    first?.()
  }
}
