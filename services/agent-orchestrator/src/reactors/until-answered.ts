import { isPlatformError } from '@sciencediscovery/kernel'
import { delay } from '@sciencediscovery/service-kit'

const defaultPauseMs = 500
const passing: ReadonlySet<string> = new Set(['unavailable', 'unknown', 'deadline', 'conflict'])

/**
 * Sends a command until the store has answered, however long it is away: what is at hand must not wait
 * for the next sweep. The command must carry a fixed id, so that it is done once.
 */
export async function untilAnswered(
  send: () => Promise<unknown>,
  closing: AbortSignal,
  pauseMs = defaultPauseMs,
): Promise<void> {
  for (;;) {
    try {
      await send()
      return
    } catch (error) {
      if (closing.aborted || !isPlatformError(error) || !passing.has(error.code)) throw error
      await delay(pauseMs, closing)
    }
  }
}
