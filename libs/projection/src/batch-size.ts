/** How many commits go into one transaction: few when they are slow, so that queries are not held back. */
export class BatchSize {
  static readonly max = 500
  #size = 64

  get current(): number {
    return this.#size
  }

  /** Learns from a full batch how long its transaction took. */
  learn(commits: number, durationMs: number): void {
    if (durationMs > 200) this.#size = Math.max(1, Math.floor(Math.min(this.#size, commits) / 2))
    else if (durationMs < 50 && commits >= this.#size)
      this.#size = Math.min(BatchSize.max, this.#size * 2)
  }
}
