import { type StoredCommit } from '@sciencediscovery/event-store'
import { PlatformError, invalid, notFound } from '@sciencediscovery/kernel'
import { type RunEvent as WireEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
import {
  type WatchRunRequest,
  type WatchRunResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import {
  type RunEvent,
  finalRunEventTypes,
  parseRunEvent,
  runSubject,
  summaryOf,
} from '@sciencediscovery/run-events'
import { type Call, type ServerStream, delay } from '@sciencediscovery/service-kit'
import { type RunState } from '../domain/run/state.js'
import { type Application } from './application.js'
import { mergeLive } from './merge-live.js'
import { isBorn } from './load-run.js'
import { resolveStored } from './resolve-stored.js'

/** The run's events from a position on, then live until it has ended; live pieces beside them when wanted. */
export function watchRun(app: Application): ServerStream<WatchRunRequest, WatchRunResponse> {
  return async function* watch({ runId, afterPosition, includeLive }, call) {
    await requireWatchable(app, runId, Number(afterPosition), call)
    const leaving = new AbortController()
    const signal = AbortSignal.any([call.signal, leaving.signal])
    const events = eventsAfter(app, runId, Number(afterPosition), signal)
    try {
      if (includeLive) yield* mergeLive(app.ctx.signals, runId, events)
      else yield* events
    } finally {
      leaving.abort()
    }
  }
}

async function* eventsAfter(
  app: Application,
  runId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<WatchRunResponse, void, undefined> {
  for await (const stored of await commitsAfter(app, runSubject(runId), after, signal)) {
    const { commit } = stored
    const lastPosition = commit.firstPosition + commit.events.length - 1
    if (lastPosition > after) yield* responsesOf(app, stored, runId, after)
    if (commit.events.some((event) => finals.has(event.type))) return
  }
}

/** What the watcher has is not read again; of a run that has ended there is no more to wait for. */
async function commitsAfter(
  app: Application,
  subject: string,
  after: number,
  signal: AbortSignal,
): Promise<AsyncIterable<StoredCommit>> {
  const { runs, store } = app.ctx
  const { state, sequence } = await runs.load(subject)
  const afterSequence = await runs.sequenceBefore(subject, after)
  if (!hasEnded(state)) return store.followSubject(subject, afterSequence, signal)
  return store.read(subject, { afterSequence, upToSequence: sequence }, signal)
}

function hasEnded({ status }: RunState): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

/** Well below what a message may hold. */
const maxDataBytes = 15 * 1024 * 1024
const finals: ReadonlySet<string> = new Set(finalRunEventTypes)

async function* responsesOf(
  app: Application,
  { commit }: StoredCommit,
  runId: string,
  after: number,
): AsyncGenerator<WatchRunResponse, void, undefined> {
  for (const [at, recorded] of commit.events.entries()) {
    const position = commit.firstPosition + at
    if (position <= after) continue
    const event = parseRunEvent(recorded)
    yield {
      item: {
        $case: 'event',
        value: await toWireEvent(app, event, { runId, position, time: commit.recordedAt }),
      },
    }
  }
}

async function toWireEvent(
  app: Application,
  event: RunEvent,
  place: { readonly runId: string; readonly position: number; readonly time: string },
): Promise<WireEvent> {
  const dataJson = JSON.stringify(await resolveStored(app.ctx.texts, event.data))
  // An event that no message holds would stop every watcher there for ever: it goes with its references.
  const isTooLarge = Buffer.byteLength(dataJson) > maxDataBytes
  return {
    stream: `runs/${place.runId}`,
    position: BigInt(place.position),
    type: event.type,
    time: place.time,
    summary: summaryOf(event),
    dataJson: isTooLarge ? JSON.stringify(event.data) : dataJson,
  }
}

const appearWithinMs = 2_000
const lookEveryMs = 50

// A watcher may be faster than the run's start, or ask for a run that waits in its session's queue.
async function requireWatchable(
  app: Application,
  runId: string,
  after: number,
  call: Call,
): Promise<void> {
  if (after < 0)
    throw invalid('after_position', 'is negative', 'send 0 to watch from the beginning')
  const until = app.ctx.here.clock() + appearWithinMs
  for (;;) {
    const { state, position } = await app.ctx.runs.load(runSubject(runId))
    if (isBorn(state)) {
      if (hasEnded(state) && after > position) throw startOver(after, position)
      return
    }
    if (await isQueued(app, runId)) return
    if (app.ctx.here.clock() >= until) throw notFound(`run ${runId}`)
    await delay(lookEveryMs, call.signal)
  }
}

async function isQueued(app: Application, runId: string): Promise<boolean> {
  return (await app.views.findRun(runId, '').catch(() => undefined)) !== undefined
}

function startOver(after: number, position: number): PlatformError {
  return new PlatformError(
    'invalid',
    `after_position: the run ended at position ${position}, there is no position ${after}`,
    {
      field: 'after_position',
      remedy: 'start over from 0',
    },
  )
}
