/** Things to be done again at a time of their own. */
export class DueList<T> {
  #items: { readonly item: T; readonly dueAt: number }[] = []

  add(item: T, dueAt: number): void {
    const index = this.#items.findLastIndex((other) => other.dueAt <= dueAt)
    this.#items.splice(index + 1, 0, { item, dueAt })
  }

  /** The first one that is due, taken off the list. */
  take(now: number): T | undefined {
    const first = this.#items[0]
    if (!first || first.dueAt > now) return undefined
    return this.#items.shift()?.item
  }

  /** How long until the next one is due; undefined when there is none. */
  waitMs(now: number): number | undefined {
    const first = this.#items[0]
    return first && Math.max(0, first.dueAt - now)
  }

  countDue(now: number): number {
    const index = this.#items.findIndex((other) => other.dueAt > now)
    return index < 0 ? this.#items.length : index
  }
}
