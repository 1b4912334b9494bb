import type { Metrics } from './metrics.js'

/** Which reader of which view. */
interface ViewKey {
  readonly view: string
  readonly stream: string
}

/** How one view stands with one stream. */
interface ViewStand extends ViewKey {
  readonly lag: number
}

/** What readers of views count; fits their port without knowing it. */
export interface ViewMeters {
  applied(key: ViewKey, batch: { readonly commits: number; readonly durationMs: number }): void
  failed(key: ViewKey, failure: { readonly code: string }): void
  fenced(key: ViewKey): void
  rebuilt(key: ViewKey): void
  /** Looks up how far the views are behind whenever the metrics are read. */
  watch(status: () => Promise<readonly ViewStand[]>): void
}

/** The metrics of the views of a process. */
export function viewMeters(metrics: Metrics): ViewMeters {
  const lag = metrics.gauge({
    name: 'view_lag_commits',
    help: 'Commits of a stream that a view does not hold yet.',
  })
  const seconds = metrics.histogram({
    name: 'view_apply_seconds',
    help: 'Duration of one transaction of a view.',
  })
  const commits = metrics.counter({
    name: 'view_commits_total',
    help: 'Commits that a view has taken in.',
  })
  const failures = metrics.counter({
    name: 'view_failures_total',
    help: 'Tries of a view that failed, by code; `fenced`: another reader was faster.',
  })
  const rebuilds = metrics.counter({
    name: 'view_rebuilds_total',
    help: 'Times that a view was emptied and began anew.',
  })
  return {
    applied({ view, stream }, { commits: amount, durationMs }) {
      seconds(durationMs / 1_000, { view })
      commits(amount, { view, stream })
    },
    failed: ({ view, stream }, { code }) => {
      failures(1, { view, stream, code })
    },
    fenced: ({ view, stream }) => {
      failures(1, { view, stream, code: 'fenced' })
    },
    rebuilt: ({ view, stream }) => {
      rebuilds(1, { view, stream })
    },
    watch(status) {
      metrics.collect(async () => {
        for (const { view, stream, lag: behind } of await status()) lag(behind, { view, stream })
      })
    },
  }
}
