import { isPlatformError, PlatformError } from '@sciencediscovery/kernel'

/** Why a signal aborted, as our error: our own reason, `deadline` for a time-out, else `cancelled`. */
export function toAbortError(signal: AbortSignal): PlatformError {
  const reason: unknown = signal.reason
  if (isPlatformError(reason)) return reason
  if (reason instanceof Error && reason.name === 'TimeoutError') {
    return new PlatformError('deadline', 'time is up', { cause: reason })
  }
  return new PlatformError('cancelled', 'the caller left', { cause: reason })
}
