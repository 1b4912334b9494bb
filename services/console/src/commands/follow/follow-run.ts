import { isPlatformError, PlatformError, type ErrorCode } from '@sciencediscovery/kernel'
import type { LiveDelta, RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
import type { WatchRunResponse } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { delay } from '@sciencediscovery/service-kit'
import type { Patience, Stack } from '../../context.js'
import { endOfEvent, endOfStatus, type RunEnd } from './run-end.js'

/** What a watcher sees. */
export type Followed =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'live'; readonly delta: LiveDelta }

/** What to follow, from where, for how long. */
export interface FollowOptions {
  readonly runId: string
  /** Events after this position. */
  readonly after: number
  readonly live: boolean
  readonly signal: AbortSignal
  readonly patience: Patience
}

/** Where the watcher is. */
interface Place {
  position: number
  end: RunEnd | undefined
}

/** A lost connection says nothing about the run: it is looked for again from the last position. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'unavailable',
  'unknown',
  'deadline',
  'conflict',
  'exhausted',
])
const longestPauseMs = 2_000

/**
 * Every event of the run exactly once and in order, over any number of connections, until it ended.
 * Returns how it ended.
 */
export async function* followRun(
  stack: Stack,
  options: FollowOptions,
): AsyncGenerator<Followed, RunEnd, undefined> {
  const { signal, patience } = options
  const place: Place = { position: options.after, end: undefined }
  let pauseMs = patience.pauseMs
  let giveUpAt: number | undefined
  for (;;) {
    const before = place.position
    const failure = yield* watchOnce(stack, options, place)
    const end = place.end ?? (failure === undefined ? await endOf(stack, options) : undefined)
    if (end !== undefined) return end
    const moved = place.position > before
    if (moved) pauseMs = patience.pauseMs
    giveUpAt = moved ? undefined : (giveUpAt ?? performance.now() + patience.reconnectMs)
    if (giveUpAt !== undefined && performance.now() >= giveUpAt) throw lost(options, place, failure)
    await delay(pauseMs, signal)
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    await stack.renew(signal)
  }
}

/** One connection: ends without a failure when the server closed it in order. */
async function* watchOnce(
  stack: Stack,
  options: FollowOptions,
  place: Place,
): AsyncGenerator<Followed, unknown, undefined> {
  using late = createCountdown(options.patience.lateFactsMs)
  const signal = AbortSignal.any([options.signal, late.signal])
  try {
    const { runs } = await stack.clients(signal)
    const afterPosition = BigInt(place.position)
    const request = { runId: options.runId, afterPosition, includeLive: options.live }
    for await (const response of runs.watchRun(request, { signal })) {
      const followed = take(place, response)
      if (!followed) continue
      yield followed
      if (place.end !== undefined) late.restart()
    }
    return undefined
  } catch (error) {
    if (late.signal.aborted) return undefined
    if (options.signal.aborted || !isPassing(error)) throw error
    return error
  }
}

/** Runs out a while after it was last restarted. */
interface Countdown extends Disposable {
  readonly signal: AbortSignal
  restart(): void
}

function createCountdown(durationMs: number): Countdown {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(timer)
  }
  return {
    signal: controller.signal,
    restart() {
      stop()
      timer = setTimeout(() => {
        controller.abort()
      }, durationMs)
    },
    [Symbol.dispose]: stop,
  }
}

/** What is new in a response. */
function take(place: Place, { item }: WatchRunResponse): Followed | undefined {
  if (item?.$case === 'live') return { kind: 'live', delta: item.value }
  if (item?.$case === 'event' && advance(place, item.value))
    return { kind: 'event', event: item.value }
  return undefined
}

/** Whether the event is the next one. A gap ends the connection: what is missing is asked for again. */
function advance(place: Place, event: RunEvent): boolean {
  const position = Number(event.position)
  if (position <= place.position) return false
  if (position > place.position + 1) {
    const message = `event ${place.position + 1} is missing before event ${position}`
    throw new PlatformError('unavailable', message, { reason: 'gap' })
  }
  place.position = position
  place.end = endOfEvent(event.type) ?? place.end
  return true
}

/** A stream that closed in order has nothing more to send when the run ended; else the server is going away. */
async function endOf(stack: Stack, { runId, signal }: FollowOptions): Promise<RunEnd | undefined> {
  try {
    const { runs } = await stack.clients(signal)
    const { run } = await runs.getRun({ runId, minPosition: '' }, { signal })
    return run && endOfStatus(run.status)
  } catch (error) {
    if (signal.aborted || !isPassing(error)) throw error
    return undefined
  }
}

function isPassing(error: unknown): boolean {
  return isPlatformError(error) && passing.has(error.code)
}

function lost({ runId }: FollowOptions, place: Place, cause: unknown): PlatformError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new PlatformError('unavailable', `the stack does not answer any more${why}`, {
    remedy: `the run is kept; go on with 'scid watch ${runId} --from ${place.position}'`,
    cause,
  })
}
