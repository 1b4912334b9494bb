import { setTimeout as delay } from 'node:timers/promises'

/** Waits until the check holds, looking every few milliseconds; fails with `what` after the deadline. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  deadlineMs = 10_000,
): Promise<void> {
  const endsAt = performance.now() + deadlineMs
  while (!(await check())) {
    if (performance.now() > endsAt) throw new Error(`not within ${deadlineMs} ms: ${what}`)
    await delay(5)
  }
}
