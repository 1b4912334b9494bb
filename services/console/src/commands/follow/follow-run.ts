import { isPlatformError, PlatformError, type ErrorCode } from '@sciencediscovery/kernel'
import type { LiveDelta, RunEvent } from '@sciencediscovery/proto-gen/runs/v1/runs'
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
  /** Whether anything came since the last connection. */
  moved: boolean
}

/** A lost connection says nothing about the run: it is looked for again from the last position. */
const passing: ReadonlySet<ErrorCode> = new Set(['unavailable', 'unknown', 'deadline', 'conflict', 'exhausted'])

/**
 * Every event of the run exactly once and in order, over any number of connections, until it ended.
 * Returns how it ended.
 */
export async function* followRun(
  stack: Stack,
  options: FollowOptions,
): AsyncGenerator<Followed, RunEnd, undefined> {
  const { signal, patience } = options
  const place: Place = { position: options.after, end: undefined, moved: false }
  let lostSince = Number.POSITIVE_INFINITY
  for (let tries = 1; ; tries += 1) {
    place.moved = false
    const failure = yield* watchOnce(stack, options, place)
    if (place.end !== undefined) return place.end
    if (failure === undefined) place.end = await endOf(stack, options)
    if (place.end !== undefined) return place.end
    if (place.moved) [tries, lostSince] = [1, Number.POSITIVE_INFINITY]
    lostSince = Math.min(lostSince, performance.now())
    if (performance.now() - lostSince >= patience.reconnectMs) throw lost(options, place, failure)
    await delay(Math.min(patience.pauseMs * 2 ** (tries - 1), 2_000), signal)
    await stack.renew(signal)
  }
}

/** One connection: ends without a failure when the server closed it in order. */
async function* watchOnce(
  stack: Stack,
  options: FollowOptions,
  place: Place,
): AsyncGenerator<Followed, unknown, undefined> {
  const late = new AbortController()
  const signal = AbortSignal.any([options.signal, late.signal])
  let timer: NodeJS.Timeout | undefined
  try {
    const { runs } = await stack.clients(signal)
    const request = { runId: options.runId, afterPosition: BigInt(place.position), includeLive: options.live }
    for await (const { item } of runs.watchRun(request, { signal })) {
      if (item?.$case === 'live') yield { kind: 'live', delta: item.value }
      if (item?.$case !== 'event' || !advance(place, item.value)) continue
      yield { kind: 'event', event: item.value }
      if (place.end === undefined) continue
      clearTimeout(timer)
      timer = setTimeout(() => { late.abort() }, options.patience.lateFactsMs)
    }
    return undefined
  } catch (error) {
    if (place.end !== undefined && late.signal.aborted) return undefined
    if (options.signal.aborted || !isPassing(error)) throw error
    return error
  } finally {
    clearTimeout(timer)
  }
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
  place.moved = true
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
