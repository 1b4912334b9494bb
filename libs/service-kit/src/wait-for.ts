import { PlatformError } from '@sciencediscovery/kernel'
import { toAbortError } from './abort-error.js'
import { delay } from './delay.js'

/** How long and how often to look. */
export interface WaitOptions {
  readonly timeoutMs?: number
  readonly intervalMs?: number
  readonly signal?: AbortSignal | undefined
  /** What is awaited, for the error: `run r1 to complete`. */
  readonly what?: string
}

type Falsy = false | undefined | null | 0 | ''

/** Looks until the condition gives something truthy and returns that; throws `deadline` when it never does. */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions = {},
): Promise<Exclude<T, Falsy>> {
  const { timeoutMs = 5_000, intervalMs = 10, signal, what = 'the condition' } = options
  const until = performance.now() + timeoutMs
  for (;;) {
    if (signal?.aborted === true) throw toAbortError(signal)
    const value = await condition()
    if (isTruthy(value)) return value
    if (performance.now() >= until) {
      throw new PlatformError('deadline', `${what} did not hold within ${timeoutMs} ms`)
    }
    await delay(intervalMs, signal)
  }
}

function isTruthy<T>(value: T): value is Exclude<T, Falsy> {
  return Boolean(value)
}
