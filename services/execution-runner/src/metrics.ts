import { type Metrics } from '@sciencediscovery/service-kit'

/** What the runner counts. */
export interface RunnerMetrics {
  /** How long it took until a workspace could run something. */
  prepared(outcome: 'ok' | 'failed', durationMs: number): void
  /** How an execution ended, and after how long. */
  exited(reason: string, durationMs: number): void
  /** Workspaces that wait for a replica of the pool. */
  watchQueue(pool: string, waiting: () => Promise<number>): void
}

/** The counters of a process. */
export function createRunnerMetrics(metrics: Metrics): RunnerMetrics {
  const start = metrics.histogram({
    name: 'sandbox_start_seconds',
    help: 'Duration of making the sandbox of a workspace.',
  })
  const execution = metrics.histogram({
    name: 'execution_seconds',
    help: 'Duration of executions, by why they ended; `exit` when nothing stood in their way.',
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 7_200],
  })
  const queue = metrics.gauge({
    name: 'placements_waiting',
    help: 'Workspaces that wait for a replica of the pool.',
  })
  return {
    prepared: (outcome, durationMs) => {
      start(durationMs / 1_000, { outcome })
    },
    exited: (reason, durationMs) => {
      execution(durationMs / 1_000, { reason: reason === '' ? 'exit' : reason })
    },
    watchQueue: (pool, waiting) => {
      metrics.collect(async () => {
        queue(await waiting(), { pool })
      })
    },
  }
}
