import { PlatformError } from '@sciencediscovery/kernel'
import { type FailureContext, midStream, toModelFailure, transportFailure } from './failure.js'
import { cancellation } from './timing.js'

/** One streaming call: how to start it, what to do with a chunk, and when it is whole. */
export interface StreamCall {
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<unknown>>
  readonly accept: (chunk: unknown) => void
  readonly isComplete: () => boolean
}

/**
 * Runs a streaming call to its end. The SDKs end an aborted stream without an error, so the
 * signals are asked afterwards; an end before the turn is complete is a failure.
 */
export async function streamTurn(
  call: StreamCall,
  context: FailureContext & { readonly idleTimeoutMs: number },
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController()
  const onAbort = (): void => {
    stop.abort()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) stop.abort()
  const idle = setTimeout(onAbort, context.idleTimeoutMs)
  let started = false
  try {
    for await (const chunk of await call.open(stop.signal)) {
      idle.refresh()
      started = true
      call.accept(chunk)
    }
    if (!call.isComplete()) throw transportFailure(context, 'the stream ended before the turn did')
  } catch (error) {
    // A turn that was whole before the connection broke is a turn.
    if (call.isComplete() && !signal.aborted) return
    if (signal.aborted) throw cancellation(signal)
    const failure = stop.signal.aborted ? idleFailure(context) : toModelFailure(context, error)
    throw started ? midStream(failure) : failure
  } finally {
    clearTimeout(idle)
    signal.removeEventListener('abort', onAbort)
    stop.abort()
  }
}

function idleFailure(context: FailureContext & { readonly idleTimeoutMs: number }): PlatformError {
  const text = `${context.service} sent nothing for ${String(context.idleTimeoutMs)} ms`
  return new PlatformError('deadline', text, { reason: 'timeout' })
}
