import { commandIdOf } from '@sciencediscovery/event-store'
import { type Expire } from '../domain/run/commands.js'
import { openRequests } from '../domain/run/open-requests.js'
import { type OpenRun } from '../domain/run/state.js'
import { type Context, nowOf } from '../context.js'

/** The wall clock of the runs that this replica works on. A run that waits for a person is not watched. */
export interface RunClocks extends Disposable {
  watch(state: OpenRun): void
  stop(runId: string): void
}

// Longer delays overflow a 32-bit timer and fire at once.
const longestTimerMs = 2 ** 31 - 1

export function createRunClocks(
  ctx: Context,
  expire: (runId: string, command: Expire) => Promise<void>,
): RunClocks {
  const timers = new Map<string, NodeJS.Timeout>()
  const stop = (runId: string): void => {
    clearTimeout(timers.get(runId))
    timers.delete(runId)
  }
  return {
    watch(state) {
      const { runId, limits, at } = state.facts.header
      const waits = openRequests(state).length === 0
      if (limits.wallMs === 0 || waits) {
        stop(runId)
        return
      }
      if (timers.has(runId)) return
      const dueMs = Date.parse(at) + limits.wallMs - ctx.here.clock()
      const fire = (): void => {
        timers.delete(runId)
        if (ctx.here.clock() < Date.parse(at) + limits.wallMs) {
          this.watch(state)
          return
        }
        void expire(runId, {
          type: 'Expire',
          writer: ctx.here.replicaId,
          now: nowOf(ctx),
        }).catch((error: unknown) => {
          ctx.here.logger.error({ err: error, runId }, 'a deadline was not recorded')
        })
      }
      timers.set(runId, setTimeout(fire, Math.min(longestTimerMs, Math.max(0, dueMs))).unref())
    },
    stop,
    [Symbol.dispose]() {
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
    },
  }
}

/** The wall clock runs out once per run. */
export function expiryCause(runId: string): {
  readonly commandId: string
  readonly causationId: string
} {
  return { commandId: commandIdOf(runId, 'expire'), causationId: runId }
}
