import { PlatformError } from '@sciencediscovery/kernel'
import type { LiveDelta, RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
import type { WatchRunResponse } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { createBell, type Bell } from './bell-fixture.js'

/** For the tests of this folder: a run that a test drives by hand. */
export interface PlayedRun {
  readonly runId: string
  readonly events: readonly RunEvent[]
  /** Appends the next event. */
  emit(type: string, data?: unknown, summary?: string): void
  live(kind: string, text: string): void
  /** Breaks the connection of every watcher. */
  dropWatchers(): void
  /** The decision about a request, once there is one. */
  decided(requestId: string): Promise<number>
  decide(requestId: string, decision: number): void
  /** Resolves when the run was asked to stop. */
  stopAsked(): Promise<void>
  stop(): void
  watch(after: number, live: boolean, signal: AbortSignal): AsyncGenerator<WatchRunResponse>
  /** Watchers that are connected. */
  watchers(): number
  /** What is wrong with the streams that watchers get. */
  fault: Fault
}

type Fault = 'none' | 'repeats' | 'skips once'

/** One connection. */
interface Watcher {
  sent: number
  dropped: boolean
  readonly live: boolean
  readonly deltas: LiveDelta[]
}

/** A run without events. */
export function createPlayedRun(runId: string): PlayedRun {
  const bell = createBell()
  const events: RunEvent[] = []
  const watchers = new Set<Watcher>()
  const decisions = new Map<string, number>()
  let stopped = false
  const run: PlayedRun = {
    runId,
    fault: 'none',
    events,
    watchers: () => watchers.size,
    emit(type, data = {}, summary = type) {
      events.push(eventOf(runId, events.length + 1, { type, data, summary }))
      bell.ring()
    },
    live(kind, text) {
      for (const { live, deltas } of watchers) if (live) deltas.push({ kind, text, callId: '' })
      bell.ring()
    },
    dropWatchers() {
      for (const watcher of watchers) watcher.dropped = true
      bell.ring()
    },
    async decided(requestId) {
      while (!decisions.has(requestId)) await bell.next()
      return decisions.get(requestId) ?? 0
    },
    decide(requestId, decision) {
      decisions.set(requestId, decision)
      bell.ring()
    },
    async stopAsked() {
      while (!stopped) await bell.next()
    },
    stop() {
      stopped = true
      bell.ring()
    },
    async *watch(after, live, signal) {
      const sent = run.fault === 'repeats' ? Math.max(0, after - 2) : after
      const watcher: Watcher = { sent, dropped: false, live, deltas: [] }
      watchers.add(watcher)
      signal.addEventListener('abort', bell.ring)
      try {
        yield* responses(run, watcher, { signal, bell })
      } finally {
        watchers.delete(watcher)
      }
    },
  }
  return run
}

async function* responses(
  run: PlayedRun,
  watcher: Watcher,
  { signal, bell }: { readonly signal: AbortSignal; readonly bell: Bell },
): AsyncGenerator<WatchRunResponse> {
  while (!signal.aborted) {
    if (watcher.dropped) throw new PlatformError('unavailable', 'the connection broke')
    const response = nextResponse(run, watcher)
    if (response) yield response
    else if (isOver(run.events)) return
    else await bell.next()
  }
}

function nextResponse(run: PlayedRun, watcher: Watcher): WatchRunResponse | undefined {
  const delta = watcher.deltas.shift()
  if (delta) return { item: { $case: 'live', value: delta } }
  if (run.fault === 'skips once' && watcher.sent === 1) {
    run.fault = 'none'
    watcher.sent += 1
  }
  const event = run.events[watcher.sent]
  if (!event) return undefined
  watcher.sent += 1
  return { item: { $case: 'event', value: event } }
}

interface Happening {
  readonly type: string
  readonly data: unknown
  readonly summary: string
}

function eventOf(runId: string, number: number, { type, data, summary }: Happening): RunEvent {
  const time = `2026-01-01T00:00:${String(number % 60).padStart(2, '0')}.000Z`
  const dataJson = JSON.stringify(data)
  return { stream: `runs/${runId}`, position: BigInt(number), type, time, summary, dataJson }
}

function isOver(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => /^run\.(completed|failed|cancelled)$/.test(type))
}
