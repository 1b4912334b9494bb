/**
 * Hints between processes: live deltas, cancel hints, wake-ups, replica pings. Nothing here is
 * stored and anything may be lost: a reader subscribes first and then folds the stream.
 */
export interface Signals extends AsyncDisposable {
  publish(topic: string, payload: unknown): void
  /** Every later message of the topic; resolves when the subscription is in force. `*` matches one token. */
  subscribe(
    topic: string,
    handler: (payload: unknown, topic: string) => void,
  ): Promise<AsyncDisposable>
  /** Answers requests on the topic until disposed. */
  respond(topic: string, handler: (payload: unknown) => Promise<unknown>): Promise<AsyncDisposable>
  /** The answer, or `unavailable` at once when nobody responds, or `deadline`. */
  request(topic: string, payload: unknown, timeoutMs: number): Promise<unknown>
}
