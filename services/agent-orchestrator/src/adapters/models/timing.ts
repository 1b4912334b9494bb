import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, isPlatformError, PlatformError } from '@sciencediscovery/kernel'

/** Time as the providers need it: tests and simulations bring their own. */
export interface Timing {
  readonly now: Clock
  /** Resolves after that time; rejects with `cancelled` when the signal fires first. */
  readonly wait: (durationMs: number, signal: AbortSignal) => Promise<void>
}

/** The real clock. */
export const systemTiming: Timing = {
  now: () => Date.now(),
  wait: async (durationMs, signal) => {
    try {
      await delay(durationMs, undefined, { signal })
    } catch (error) {
      throw signal.aborted ? cancellation(signal) : error
    }
  },
}

/** What an aborted call throws: the reason of whoever aborted when it is ours, else `cancelled`. */
export function cancellation(signal: AbortSignal): PlatformError {
  const reason: unknown = signal.reason
  return isPlatformError(reason) ? reason : new PlatformError('cancelled', 'model call cancelled')
}
