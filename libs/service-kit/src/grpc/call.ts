/** Who is calling, as the token says. */
export interface Principal {
  readonly id: string
  readonly roles: readonly string[]
}

/** What a handler knows about the call it answers. */
export interface Call {
  /** The full path: `/sciencediscovery.runs.v1.RunService/StartRun`. */
  readonly method: string
  readonly principal: Principal
  /** Aborts when the caller leaves, the deadline passes or the server stops. */
  readonly signal: AbortSignal
  /** When the caller stops waiting, in milliseconds since the epoch. */
  readonly deadlineAt?: number
  /** W3C trace context of the caller. */
  readonly traceparent?: string
  /** Address of the caller. */
  readonly peer: string
}

/** A call below the message types: what a proxy passes on. */
export type RawCall = Call
