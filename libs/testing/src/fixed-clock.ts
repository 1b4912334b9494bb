import { type Clock } from '@sciencediscovery/kernel'

/** A clock that a test sets. */
export interface FixedClock extends Clock {
  advance(ms: number): void
}

/** A clock that stands still until it is moved. */
export function fixedClock(startsAt = Date.UTC(2026, 0, 1)): FixedClock {
  let now = startsAt
  const clock = (): number => now
  return Object.assign(clock, {
    advance: (ms: number) => {
      now += ms
    },
  })
}
