import { type Entry } from './fold.js'

/**
 * Entries by subject, least recently used dropped first once they hold more than the budget.
 * The newest always stays: without it a run larger than the budget would be read again every turn.
 */
export class StateCache<State> {
  readonly #entries = new Map<string, { readonly entry: Entry<State>; countedBytes: number }>()
  readonly #budgetBytes: number
  #totalBytes = 0

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes
  }

  find(subject: string): Entry<State> | undefined {
    return this.#entries.get(subject)?.entry
  }

  /** Keeps the entry as the newest and makes room; called again when it has grown. */
  keep(subject: string, entry: Entry<State>): void {
    this.drop(subject)
    this.#entries.set(subject, { entry, countedBytes: entry.sizeBytes })
    this.#totalBytes += entry.sizeBytes
    for (const oldest of this.#entries.keys()) {
      if (this.#totalBytes <= this.#budgetBytes || oldest === subject) break
      this.drop(oldest)
    }
  }

  drop(subject: string): void {
    const kept = this.#entries.get(subject)
    if (!kept) return
    this.#entries.delete(subject)
    this.#totalBytes -= kept.countedBytes
  }

  get sizeBytes(): number {
    return this.#totalBytes
  }
}
