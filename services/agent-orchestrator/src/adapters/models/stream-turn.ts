import { PlatformError } from '@sciencediscovery/kernel'
import { type FailureContext, midStream, toModelFailure, transportFailure } from './failure.js'
import { cancellation, type Timing } from './timing.js'

/** One streaming call: how to start it, what to do with a chunk, and when it is whole. */
export interface StreamCall {
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>
  readonly accept: (chunk: unknown) => void
  readonly isComplete: () => boolean
}

/** Whose stream it is and how long it may be silent. */
export interface StreamContext extends FailureContext {
  readonly idleTimeoutMs: number
  readonly timing: Timing
}

/**
 * Runs a streaming call to its end. The SDKs end an aborted stream without an error, so the
 * signals are asked afterwards; an end before the turn is complete is a failure.
 */
export async function streamTurn(
  call: StreamCall,
  context: StreamContext,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const onAbort = (): void => {
    stop.abort()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) stop.abort()
  let lastHeardAt = context.timing.now()
  let started = false
  // A rejection means that the call was over first.
  watchSilence(context, () => lastHeardAt, stop.signal).then(onAbort, () => undefined)
  try {
    for await (const chunk of await call.open(stop.signal)) {
      lastHeardAt = context.timing.now()
      started = true
      call.accept(chunk)
    }
    if (!call.isComplete()) throw transportFailure(context, 'the stream ended before the turn did')
  } catch (error) {
    if (signal.aborted) throw cancellation(signal)
    // A turn that was whole before the connection broke is a turn.
    if (call.isComplete()) return
    const failure = stop.signal.aborted ? silence(context) : toModelFailure(context, error)
    throw started ? midStream(failure) : failure
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop.abort()
  }
}

/** Resolves once nothing was heard for the time allowed. */
async function watchSilence(
  { timing, idleTimeoutMs }: StreamContext,
  lastHeardAt: () => number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const leftMs = lastHeardAt() + idleTimeoutMs - timing.now()
    if (leftMs <= 0) return
    await timing.wait(leftMs, signal)
  }
}

function silence(context: StreamContext): PlatformError {
  const text = `${context.service} sent nothing for ${String(context.idleTimeoutMs)} ms`
  return new PlatformError('deadline', text, { reason: 'timeout' })
}
