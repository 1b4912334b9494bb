import { type EventStore } from '@sciencediscovery/event-store'
import {
  decodePosition,
  type Position,
  type RunningViews,
  type StreamStatus,
} from '@sciencediscovery/projection'
import { type ViewName, type ViewReport, type Views } from '../context.js'

const nouns: Readonly<Record<ViewName, string>> = {
  artifacts: 'artifacts',
  run_provenance: 'runs',
  provenance_uses: 'runs',
  workspace_provenance: 'workspaces',
  transfers: 'transfers',
}

/** Waits for, and reports on, the views that run in this process. */
export class StoreViews implements Views {
  readonly #store: EventStore
  readonly #running: RunningViews

  constructor(store: EventStore, running: RunningViews) {
    this.#store = store
    this.#running = running
  }

  async catchUp(view: ViewName, minPosition: string, signal: AbortSignal): Promise<void> {
    if (minPosition === '') return
    const targets = await this.#targetsOf(view, decodePosition(minPosition), signal)
    await Promise.all(
      targets.map((target) => this.#running.waitForPosition(view, target, { signal })),
    )
  }

  async catchUpWithAll(view: ViewName, signal: AbortSignal): Promise<void> {
    const targets = await this.#endsOf(view, signal)
    await Promise.all(
      targets.map((target) => this.#running.waitForPosition(view, target, { signal })),
    )
  }

  async report(): Promise<readonly ViewReport[]> {
    const statuses = await this.#running.status()
    return Object.keys(nouns).map((view) => summarised(view, statuses))
  }

  /** What the token's writer had seen was written before now, in whatever stream. */
  async #targetsOf(
    view: ViewName,
    asked: Position,
    signal: AbortSignal,
  ): Promise<readonly Position[]> {
    const streams = this.#store.streamsOf(nouns[view])
    return streams.includes(asked.stream) ? [asked] : this.#endsOf(view, signal)
  }

  #endsOf(view: ViewName, signal: AbortSignal): Promise<readonly Position[]> {
    return Promise.all(
      this.#store.streamsOf(nouns[view]).map(async (stream) => ({
        stream,
        sequence: await this.#store.lastSequence(stream, signal),
      })),
    )
  }
}

function summarised(view: string, statuses: readonly StreamStatus[]): ViewReport {
  const own = statuses.filter((status) => status.view === view)
  const failing = own.find((status) => status.failing !== undefined)
  return {
    view,
    lag: own.reduce((sum, status) => sum + status.lag, 0),
    failure: failing?.failing
      ? `${failing.stream} ${failing.failing.sequence}: ${failing.failing.error}`
      : '',
  }
}
