const firstMs = 100
const longestMs = 30_000

/** How long to wait before delivery `attempt` + 1. */
export function retryDelayMs(attempt: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempt - 1, 20))
}

/** Deliveries after which a handler is told to give up. */
export const defaultMaxAttempts = 10
