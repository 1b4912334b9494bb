import { PlatformError } from '@sciencediscovery/kernel'

/** Host uids for workspaces, each given to one at a time. */
export class UidRange {
  readonly #first: number
  readonly #count: number
  readonly #taken = new Set<number>()

  constructor(first: number, count: number) {
    this.#first = first
    this.#count = count
  }

  has(uid: number): boolean {
    return uid >= this.#first && uid < this.#first + this.#count
  }

  /** The preferred one when it is free, for files that it owns already. */
  take(preferred: number | undefined): number {
    if (preferred !== undefined && this.has(preferred) && !this.#taken.has(preferred)) {
      this.#taken.add(preferred)
      return preferred
    }
    for (let uid = this.#first; uid < this.#first + this.#count; uid += 1) {
      if (this.#taken.has(uid)) continue
      this.#taken.add(uid)
      return uid
    }
    throw new PlatformError('exhausted', 'no host uid is free for the workspace', {
      retryAfterMs: 1_000,
    })
  }

  giveBack(uid: number): void {
    this.#taken.delete(uid)
  }
}
