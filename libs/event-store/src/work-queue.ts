/** A job in the hands of one worker. The un-settled message is the lease. */
export interface Lease {
  readonly id: string
  readonly payload: unknown
  readonly attempt: number
  /** Aborts when the lease was lost: keep-alive failed for longer than the ack wait. */
  readonly lost: AbortSignal
  /** The work is done: the job goes away. */
  complete(): Promise<void>
  /** Gives the job to another worker after the delay. */
  release(delayMs?: number): Promise<void>
}

/**
 * Placement: jobs that one worker holds for as long as it works on them. Kept alive by the queue itself
 * from receipt; when the worker dies another has the job within `ackWaitMs`.
 */
export interface WorkQueue extends AsyncDisposable {
  /** Offers a job. The id makes it once-only while it is open. */
  offer(queue: string, id: string, payload: unknown): Promise<void>
  /** Waits for a job of the queue; undefined when the signal aborts. Take only when there is room. */
  take(queue: string, signal: AbortSignal): Promise<Lease | undefined>
  /** Jobs waiting, not taken: the autoscaler's figure. */
  waiting(queue: string): Promise<number>
}
