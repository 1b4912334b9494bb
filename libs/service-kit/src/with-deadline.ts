import { PlatformError } from '@sciencediscovery/kernel'

/**
 * Aborts when the signal does, or with `deadline` after the time. Lets go of the signal when time
 * is up, so a long-lived parent keeps no listener beyond it.
 */
export function withDeadline(signal: AbortSignal | undefined, timeoutMs: number): AbortSignal {
  const controller = new AbortController()
  const onAbort = (): void => {
    clearTimeout(timer)
    controller.abort(signal?.reason)
  }
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', onAbort)
    controller.abort(new PlatformError('deadline', `no answer within ${timeoutMs} ms`))
  }, timeoutMs)
  timer.unref()
  if (signal?.aborted === true) onAbort()
  else signal?.addEventListener('abort', onAbort, { once: true })
  return controller.signal
}
