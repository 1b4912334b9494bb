/** How many executions run at once on this replica, first come first served. */
export class Slots {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(count: number) {
    this.#free = count
  }

  tryTake(): boolean {
    if (this.#free === 0) return false
    this.#free -= 1
    return true
  }

  async take(): Promise<void> {
    if (this.tryTake()) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  giveBack(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free += 1
  }
}
