import { type RunnerMetrics } from '../metrics.js'
import { type Sandbox, type SandboxCell } from '../sandbox.js'

/** The same wall, with what happens behind it timed. */
export function observedSandbox(sandbox: Sandbox, metrics: RunnerMetrics): Sandbox {
  return {
    findings: sandbox.findings,
    description: sandbox.description,
    async prepare(place) {
      const startedAt = performance.now()
      try {
        const cell = await sandbox.prepare(place)
        metrics.prepared('ok', performance.now() - startedAt)
        return observedCell(cell, metrics)
      } catch (error) {
        metrics.prepared('failed', performance.now() - startedAt)
        throw error
      }
    },
  }
}

function observedCell(cell: SandboxCell, metrics: RunnerMetrics): SandboxCell {
  return {
    uid: cell.uid,
    start(job) {
      const startedAt = performance.now()
      const running = cell.start(job)
      void running.exited.then(
        ({ reason }) => {
          metrics.exited(reason, performance.now() - startedAt)
        },
        () => {
          metrics.exited('sandbox_failed', performance.now() - startedAt)
        },
      )
      return running
    },
    [Symbol.asyncDispose]: () => cell[Symbol.asyncDispose](),
  }
}
