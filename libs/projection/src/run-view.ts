import { type Database, type Log } from '@sciencediscovery/db'
import { type EventStore, systemTimers, type Timers } from '@sciencediscovery/event-store'
import { readSequences } from './checkpoint-rows.js'
import { type ViewFailure } from './failures.js'
import { type Position } from './position.js'
import { PositionWaiter, type WaitForPositionOptions } from './position-waiter.js'
import { type ReaderRole, StreamReader } from './stream-reader.js'
import { noViewMetrics, type ViewMetrics } from './view-metrics.js'
import { type View } from './view.js'

/** What a running view needs. */
export interface RunViewOptions<Schema> {
  readonly view: View<Schema>
  readonly database: Database<Schema>
  readonly store: EventStore
  readonly logger: Log
  readonly metrics?: ViewMetrics
  readonly timers?: Timers
  /** How long a checkpoint stands still before another process takes over. Default 1 000. */
  readonly takeoverMs?: number
  /** From this many tries at one commit on the view is shown as failing. Default 5. */
  readonly failAfterAttempts?: number
}

/** How one view stands with one stream. */
export interface StreamStatus {
  readonly view: string
  readonly stream: string
  readonly role: ReaderRole
  /** The last sequence in the tables. */
  readonly sequence: number
  /** Sequences that the tables are behind. */
  readonly lag: number
  readonly failing?: ViewFailure
}

/** A view that is kept up to date until it is disposed. */
export interface RunningView extends AsyncDisposable {
  readonly name: string
  status(): Promise<readonly StreamStatus[]>
  /** Waits until the tables hold the position; `unavailable` when they do not in time (2 s). */
  waitForPosition(position: Position, options?: WaitForPositionOptions): Promise<void>
}

/** Keeps the view up to date with the streams of its noun, one reader per stream. */
export function runView<Schema>(options: RunViewOptions<Schema>): RunningView {
  const { view, database, store, timers = systemTimers } = options
  const streams = store.streamsOf(view.noun)
  const readers: StreamReader<Schema>[] = []
  const waiter = new PositionWaiter({
    view: view.name,
    ...{ streams, database, timers },
    onWaiting: (stream) => readers.find((reader) => reader.stream === stream)?.hurry(),
  })
  const context = {
    ...options,
    timers,
    metrics: options.metrics ?? noViewMetrics,
    takeoverMs: options.takeoverMs ?? 1_000,
    failAfterAttempts: options.failAfterAttempts ?? 5,
    onMoved: () => {
      waiter.moved()
    },
    onReset: () => {
      for (const reader of readers) reader.startAgain()
    },
  }
  readers.push(...streams.map((stream) => new StreamReader(context, stream)))
  const stopping = new AbortController()
  const running = readers.map((reader) => reader.run(stopping.signal))
  return {
    name: view.name,
    status: () => statusOf(options, readers),
    waitForPosition: (position, waitOptions) => waiter.wait(position, waitOptions),
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function statusOf<Schema>(
  { view, database, store }: RunViewOptions<Schema>,
  readers: readonly StreamReader<Schema>[],
): Promise<readonly StreamStatus[]> {
  const sequences = await readSequences(database.untyped, view.name)
  const statuses = readers.map(async ({ stream, role, failing }): Promise<StreamStatus> => {
    const sequence = sequences.get(stream) ?? 0
    const lag = Math.max(0, (await store.lastSequence(stream)) - sequence)
    return {
      view: view.name,
      stream,
      role,
      sequence,
      lag,
      ...(failing === undefined ? {} : { failing }),
    }
  })
  return Promise.all(statuses)
}
