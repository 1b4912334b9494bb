import { isPlatformError } from '@sciencediscovery/kernel'
import { delay } from '../delay.js'
import type { RawCallOptions } from './raw-calls.js'

const attempts = 4
const firstDelayMs = 50
const longestDelayMs = 2_000

/**
 * Whether asking twice does it once: a query, or a mutation that carries its idempotency key.
 * `unavailable` may come after the server did the work, so nothing else is repeated.
 */
export function isSafeToRepeat(path: string, request: unknown): boolean {
  return /\/(Get|List|Read|Check)[A-Za-z]*$/.test(path) || hasIdempotencyKey(request)
}

function hasIdempotencyKey(request: unknown): boolean {
  return (
    typeof request === 'object' &&
    request !== null &&
    'idempotencyKey' in request &&
    typeof request.idempotencyKey === 'string' &&
    request.idempotencyKey !== ''
  )
}

/** Tries again after `unavailable`, with growing jittered pauses, while the deadline leaves time for it. */
export async function withRetries<T>(
  send: () => Promise<T>,
  { signal, deadlineAt = Infinity }: RawCallOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (!isPlatformError(error) || error.code !== 'unavailable' || attempt >= attempts)
        throw error
      const pauseMs = error.details.retryAfterMs ?? jittered(attempt)
      if (Date.now() + pauseMs >= deadlineAt) throw error
      await delay(pauseMs, signal)
    }
  }
}

function jittered(attempt: number): number {
  const ceilingMs = Math.min(longestDelayMs, firstDelayMs * 2 ** attempt)
  return ceilingMs * (0.5 + Math.random() / 2)
}
