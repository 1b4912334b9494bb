/** For the tests of this folder: lets many wait for the next change. */
export interface Bell {
  readonly ring: () => void
  next(): Promise<void>
}

/** A bell nobody waits for yet. */
export function createBell(): Bell {
  let waiting: (() => void)[] = []
  return {
    ring() {
      const woken = waiting
      waiting = []
      for (const wake of woken) wake()
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
