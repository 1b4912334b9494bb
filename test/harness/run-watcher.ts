import { isPlatformError } from '@sciencediscovery/kernel'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type Channel, delay, rpcClient } from '@sciencediscovery/service-kit'
import { until } from '@sciencediscovery/testing'
import { z } from 'zod'

/** An event as a watcher got it. */
export interface SeenEvent {
  readonly position: number
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** When it was recorded, by the clock of the machine. */
  readonly atMs: number
}

/** Follows one run as a client does: a cut stream is opened again after the last position. */
export interface RunWatcher extends AsyncDisposable {
  /** Everything received, in the order it came. */
  readonly events: readonly SeenEvent[]
  readonly reconnects: () => number
  waitFor(
    what: string,
    match: (event: SeenEvent) => boolean,
    deadlineMs?: number,
  ): Promise<SeenEvent>
  waitForType(type: string, deadlineMs?: number): Promise<SeenEvent>
  waitForEnd(deadlineMs?: number): Promise<SeenEvent>
}

const ends = new Set(['run.completed', 'run.failed', 'run.cancelled'])
const DataSchema = z.record(z.string(), z.unknown())
const pauseMs = 20

interface Reading {
  readonly runId: string
  readonly from: number
  readonly signal: AbortSignal
}

/** One connection: ends when the run does, or when the connection breaks. */
async function readEvents(
  channel: Channel,
  { runId, from, signal }: Reading,
  note: (seen: SeenEvent) => void,
): Promise<void> {
  const request = { runId, afterPosition: BigInt(from), includeLive: false }
  try {
    for await (const { item } of rpcClient(RunServiceService, channel).watchRun(request, {
      signal,
    })) {
      if (item?.$case !== 'event') continue
      const { position, type, time, dataJson } = item.value
      const data = DataSchema.parse(JSON.parse(dataJson))
      note({ position: Number(position), type, atMs: Date.parse(time), data })
    }
  } catch (error) {
    if (!isTransient(error)) throw error
  }
}

/** Starts to watch from the first event on. */
export function watchRun(
  channel: Channel,
  runId: string,
  onEvent: (event: SeenEvent) => void = () => undefined,
): RunWatcher {
  const events: SeenEvent[] = []
  const stop = new AbortController()
  let connections = 0
  let failure: Error | undefined
  const note = (seen: SeenEvent): void => {
    events.push(seen)
    onEvent(seen)
  }
  const follow = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      connections += 1
      const from = events.at(-1)?.position ?? 0
      await readEvents(channel, { runId, from, signal: stop.signal }, note)
      if (ends.has(events.at(-1)?.type ?? '')) return
      await delay(pauseMs, stop.signal).catch(() => undefined)
    }
  }
  const following = follow().catch((error: unknown) => {
    failure = error instanceof Error ? error : new Error(String(error))
  })
  const waitFor: RunWatcher['waitFor'] = async (what, match, deadlineMs = 30_000) => {
    let found: SeenEvent | undefined
    const look = (): boolean => {
      if (failure !== undefined) throw failure
      found = events.find(match)
      return found !== undefined
    }
    await until(what, look, deadlineMs).catch((cause: unknown) => {
      const seen = events.map(({ type }) => type).join(' ')
      throw new Error(`${what} did not happen; seen: ${seen}`, { cause })
    })
    if (!found) throw new Error(what)
    return found
  }
  return {
    events,
    reconnects: () => connections - 1,
    waitFor,
    waitForType: (type, deadlineMs) =>
      waitFor(`${runId} shows ${type}`, (event) => event.type === type, deadlineMs),
    waitForEnd: (deadlineMs = 60_000) =>
      waitFor(`${runId} ends`, (event) => ends.has(event.type), deadlineMs),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await following
    },
  }
}

function isTransient(error: unknown): boolean {
  const passing = ['unavailable', 'deadline', 'unknown', 'cancelled']
  return isPlatformError(error) && passing.includes(error.code)
}
