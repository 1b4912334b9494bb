import { PlatformError } from '@sciencediscovery/kernel'

/** The signal of one open call. */
export interface CallScope extends Disposable {
  readonly signal: AbortSignal
}

/** The open calls of one channel: each ends with its caller's signal, all end with the channel. */
export interface CallScopes {
  /** Throws `cancelled` when the channel is closed. */
  open(signal: AbortSignal | undefined): CallScope
  closeAll(): void
}

/** No open calls yet. */
export function createCallScopes(address: string): CallScopes {
  const controllers = new Set<AbortController>()
  const closing = new PlatformError('cancelled', `the channel to ${address} is closed`)
  let closed = false
  return {
    open(parent) {
      if (closed) throw closing
      const controller = new AbortController()
      controllers.add(controller)
      const onAbort = (): void => {
        controller.abort(parent?.reason)
      }
      if (parent?.aborted === true) onAbort()
      parent?.addEventListener('abort', onAbort, { once: true })
      return {
        signal: controller.signal,
        [Symbol.dispose]() {
          controllers.delete(controller)
          parent?.removeEventListener('abort', onAbort)
        },
      }
    },
    closeAll() {
      closed = true
      for (const controller of controllers) controller.abort(closing)
    },
  }
}
