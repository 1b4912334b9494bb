import { setMaxListeners } from 'node:events'

/** Whether the signal has aborted by now. A call, because it may change while one waits. */
export function hasAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** A signal that aborts with any of the others, and can be let go of. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal
}

/**
 * Like AbortSignal.any, which in Node 20 keeps what it made for as long as its longest-lived source:
 * this one is let go of when its user is done.
 */
export function linkedSignal(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController()
  const abort = (): void => {
    controller.abort()
  }
  for (const source of sources) {
    if (source?.aborted) abort()
    source?.addEventListener('abort', abort, { once: true })
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const source of sources) source?.removeEventListener('abort', abort)
    },
  }
}

/** A controller whose signal many listen to at once, which is no leak and not to be warned of. */
export function createSharedStop(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}
