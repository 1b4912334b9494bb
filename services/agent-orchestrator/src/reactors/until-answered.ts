import { isPlatformError } from '@sciencediscovery/kernel'
import { delay } from '@sciencediscovery/service-kit'

const defaultPauseMs = 500
const passing: ReadonlySet<string> = new Set([
  'unavailable',
  'unknown',
  'deadline',
  'conflict',
  // A stream or a queue that is full has room again some time.
  'exhausted',
])

/** Whether asking again may have an answer: the fault is not in what is asked. */
export function isPassing(error: unknown): boolean {
  return isPlatformError(error) && passing.has(error.code)
}

/**
 * Asks until there is an answer, however long the other side is away: what is at hand must not wait for
 * the next sweep. Asking twice must do it once: a command carries a fixed id.
 */
export async function untilAnswered<Answer>(
  send: () => Promise<Answer>,
  closing: AbortSignal,
  pauseMs = defaultPauseMs,
): Promise<Answer> {
  for (;;) {
    try {
      return await send()
    } catch (error) {
      if (closing.aborted || !isPassing(error)) throw error
      await delay(pauseMs, closing)
    }
  }
}
