import { setTimeout as delay } from 'node:timers/promises'

/** A time limit on something that leaves the process. */
export interface Deadline {
  readonly signal: AbortSignal
  clear(): void
}

/** Elapsed time and waiting. Passed in, so that a simulation owns both. */
export interface Timers {
  /** Milliseconds that only ever grow; not the time of day. */
  now(): number
  /** Resolves after the time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Aborts after the time, or with the signal. */
  deadline(ms: number, signal?: AbortSignal): Deadline
}

/** The real thing. */
export const systemTimers: Timers = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    if (signal?.aborted) return
    await delay(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
      if (!signal?.aborted) throw error
    })
  },
  deadline: (ms, signal) => {
    const controller = new AbortController()
    const abort = (): void => {
      controller.abort()
    }
    const timer = setTimeout(abort, ms)
    timer.unref()
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    return {
      signal: controller.signal,
      clear: () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', abort)
      },
    }
  },
}
