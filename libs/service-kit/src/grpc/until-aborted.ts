import { toAbortError } from '../abort-error.js'

/**
 * Yields from the source until the signal aborts, then throws its reason at once: a source that
 * hangs is asked to return and not waited for.
 */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const iterator = source[Symbol.asyncIterator]()
  const gate = createAbortGate(signal)
  let open = true
  try {
    for (;;) {
      const result = await gate.pass(() => iterator.next())
      if (result.done === true) {
        open = false
        return
      }
      yield result.value
    }
  } catch (error) {
    open &&= signal.aborted
    throw error
  } finally {
    gate.close()
    const closing = open ? iterator.return?.() : undefined
    if (signal.aborted) closing?.catch(() => undefined)
    else await closing
  }
}

interface AbortGate {
  pass<T>(step: () => Promise<T>): Promise<T>
  close(): void
}

/** One listener for the whole iteration: racing each step against one promise would leak per step. */
function createAbortGate(signal: AbortSignal): AbortGate {
  let rejectStep: ((reason: Error) => void) | undefined
  const onAbort = (): void => rejectStep?.(toAbortError(signal))
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    pass: (step) =>
      new Promise((resolve, reject) => {
        rejectStep = reject
        if (signal.aborted) onAbort()
        else step().then(resolve, reject)
      }),
    close: () => {
      signal.removeEventListener('abort', onAbort)
    },
  }
}
