import { PlatformError } from '@sciencediscovery/kernel'
import { cancellation, systemTiming, type Timing } from './timing.js'

/** How much of a model service one replica may use. */
export interface ModelLimits {
  readonly concurrency?: number
  readonly requestsPerMinute?: number
  /** Pause after a 429 that does not say how long. */
  readonly coolDownMs?: number
  /** A pause longer than this is not waited for: the call fails with `retryAfterMs`. */
  readonly maxWaitMs?: number
  readonly timing?: Timing
}

/** Admits calls in the order they came. */
export interface Limiter {
  /** Resolves when the call may start, with what ends it. */
  readonly acquire: (signal: AbortSignal) => Promise<() => void>
  /** Nothing starts for that long; says how long it really is. */
  readonly coolDown: (retryAfterMs: number | undefined) => number
  readonly coolingForMs: () => number
}

interface Waiter {
  readonly start: () => void
}

const minuteMs = 60_000
const defaultCoolDownMs = 20_000
const defaultMaxWaitMs = 60_000

/** A limiter for one model service, shared by all runs of a replica. */
export function createLimiter(limits: ModelLimits = {}): Limiter {
  const {
    concurrency = Number.POSITIVE_INFINITY,
    requestsPerMinute,
    timing = systemTiming,
  } = limits
  const queue: Waiter[] = []
  const starts: number[] = []
  let running = 0
  let coolUntil = 0
  let wake: AbortController | undefined

  const startAllowedAt = (): number => {
    const oldest = requestsPerMinute === undefined ? undefined : starts.at(-requestsPerMinute)
    return Math.max(coolUntil, oldest === undefined ? 0 : oldest + minuteMs)
  }
  const pump = (): void => {
    wake?.abort()
    wake = undefined
    while (queue.length > 0 && running < concurrency) {
      const waitMs = startAllowedAt() - timing.now()
      if (waitMs > 0) {
        wake = wakeAfter(waitMs, timing, pump)
        return
      }
      running += 1
      starts.push(timing.now())
      if (requestsPerMinute !== undefined) starts.splice(0, starts.length - requestsPerMinute)
      queue.shift()?.start()
    }
  }
  const coolingForMs = (): number => Math.max(0, coolUntil - timing.now())
  return {
    coolingForMs,
    coolDown: (retryAfterMs) => {
      const pauseMs = retryAfterMs ?? limits.coolDownMs ?? defaultCoolDownMs
      coolUntil = Math.max(coolUntil, timing.now() + pauseMs)
      pump()
      return coolingForMs()
    },
    acquire: async (signal) => {
      if (signal.aborted) throw cancellation(signal)
      refuseLongPause(coolingForMs(), limits.maxWaitMs ?? defaultMaxWaitMs)
      await enqueue(queue, pump, signal)
      return once(() => {
        running -= 1
        pump()
      })
    },
  }
}

async function enqueue(queue: Waiter[], pump: () => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      queue.splice(queue.indexOf(waiter), 1)
      reject(cancellation(signal))
      pump()
    }
    const waiter: Waiter = {
      start: () => {
        signal.removeEventListener('abort', onAbort)
        resolve()
      },
    }
    signal.addEventListener('abort', onAbort, { once: true })
    queue.push(waiter)
    pump()
  })
}

function wakeAfter(waitMs: number, timing: Timing, pump: () => void): AbortController {
  const stop = new AbortController()
  // A rejection means that the wake-up was called off.
  timing.wait(waitMs, stop.signal).then(pump, () => undefined)
  return stop
}

function refuseLongPause(pauseMs: number, maxWaitMs: number): void {
  if (pauseMs <= maxWaitMs) return
  throw new PlatformError('exhausted', 'the model service asked for a pause', {
    reason: 'rate_limited',
    retryAfterMs: pauseMs,
  })
}

function once(end: () => void): () => void {
  let ended = false
  return () => {
    if (ended) return
    ended = true
    end()
  }
}
