import { PlatformError } from '@sciencediscovery/kernel'
import type { LiveDelta, RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
import type { WatchRunResponse } from '@sciencediscovery/proto-gen/runs/v1/runs_service'

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
  readonly stopAsked: Promise<void>
  stop(): void
  watch(after: number, live: boolean, signal: AbortSignal): AsyncGenerator<WatchRunResponse>
  /** Watchers that are connected. */
  watchers(): number
}

type Wake = () => void

/** A run without events. */
export function createPlayedRun(runId: string): PlayedRun {
  const events: RunEvent[] = []
  const wakes = new Set<Wake>()
  const queues = new Set<LiveDelta[]>()
  const drops = new Set<Wake>()
  const decisions = new Map<string, number>()
  const wake = (): void => { for (const each of [...wakes]) each() }
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      const once = (): void => { wakes.delete(once); resolve() }
      wakes.add(once)
    })
  let stopped: Wake = () => undefined
  const stopAsked = new Promise<void>((resolve) => { stopped = resolve })

  async function* watch(after: number, live: boolean, signal: AbortSignal): AsyncGenerator<WatchRunResponse> {
    let sent = after
    let dropped = false
    const queue: LiveDelta[] = []
    const drop = (): void => { dropped = true; wake() }
    drops.add(drop)
    if (live) queues.add(queue)
    signal.addEventListener('abort', wake)
    try {
      for (;;) {
        if (dropped) throw new PlatformError('unavailable', 'the connection broke')
        if (signal.aborted) return
        const event = events[sent]
        const delta = queue.shift()
        if (delta) yield { item: { $case: 'live', value: delta } }
        else if (event) { sent += 1; yield { item: { $case: 'event', value: event } } }
        else if (isOver(events)) return
        else await changed()
      }
    } finally {
      drops.delete(drop)
      queues.delete(queue)
    }
  }

  return {
    runId,
    events,
    stopAsked,
    watch,
    watchers: () => drops.size,
    emit(type, data = {}, summary = type) {
      const position = events.length + 1
      const time = `2026-01-01T00:00:${String(position % 60).padStart(2, '0')}.000Z`
      events.push({ stream: `runs/${runId}`, position: BigInt(position), type, time, summary, dataJson: JSON.stringify(data) })
      wake()
    },
    live(kind, text) {
      for (const queue of queues) queue.push({ kind, text, callId: '' })
      wake()
    },
    dropWatchers() { for (const drop of [...drops]) drop() },
    async decided(requestId) {
      while (!decisions.has(requestId)) await changed()
      return decisions.get(requestId) ?? 0
    },
    decide(requestId, decision) { decisions.set(requestId, decision); wake() },
    stop() { stopped() },
  }
}

function isOver(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => /^run\.(completed|failed|cancelled)$/.test(type))
}
