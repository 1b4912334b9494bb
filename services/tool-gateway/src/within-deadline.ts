import { PlatformError } from '@sciencediscovery/kernel'

/** Runs the work under a deadline of its own and under the caller's signal; 0 sets no deadline. */
export async function withinDeadline<T>(
  parent: AbortSignal,
  deadlineMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const onAbort = (): void => {
    controller.abort(parent.reason)
  }
  const timer = setTimeout(
    () => {
      controller.abort(new PlatformError('deadline', `not done within ${deadlineMs} ms`))
    },
    deadlineMs === 0 ? longestTimerMs : deadlineMs,
  )
  parent.addEventListener('abort', onAbort, { once: true })
  if (parent.aborted) onAbort()
  try {
    return await work(controller.signal)
  } finally {
    // A long-lived caller keeps nothing of a call that is over.
    clearTimeout(timer)
    parent.removeEventListener('abort', onAbort)
  }
}

const longestTimerMs = 2 ** 31 - 1
