import { setImmediate as nextLoop } from 'node:timers/promises'
import { cancellation, type Timing } from './timing.js'

interface Wait {
  readonly at: number
  readonly durationMs: number
  readonly done: () => void
}

/** Time that moves when it is told to. */
export interface ManualTiming extends Timing {
  readonly advance: (durationMs: number) => Promise<void>
  /** The waits that are still open. */
  readonly waits: () => readonly number[]
}

/** A clock at zero. */
export function createManualTiming(): ManualTiming {
  const open = new Set<Wait>()
  let time = 0
  return {
    now: () => time,
    waits: () => [...open].map(({ durationMs }) => durationMs),
    wait: async (durationMs, signal) =>
      new Promise((resolve, reject) => {
        const wait: Wait = { at: time + durationMs, durationMs, done: resolve }
        open.add(wait)
        signal.addEventListener('abort', () => {
          open.delete(wait)
          reject(cancellation(signal))
        })
      }),
    advance: async (durationMs) => {
      time += durationMs
      for (const wait of [...open].filter(({ at }) => at <= time)) {
        open.delete(wait)
        wait.done()
      }
      await nextLoop()
    },
  }
}
