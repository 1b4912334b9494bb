/** A fact that a call brought about, to be recorded on the run. */
export interface ToolEffect {
  readonly effectId: string
  readonly type: string
  readonly version: number
  readonly dataJson: string
}

/** What a call gives: what the model reads, and what programs read. */
export interface ToolResult<Details = unknown> {
  readonly text: string
  readonly isError: boolean
  readonly details: Details
  readonly effects: readonly ToolEffect[]
  /** The whole output, when the text shows only a part of it: it is read once, and kept (S-20). */
  readonly whole?: (() => AsyncIterable<Uint8Array>) | undefined
}

/** The failure half of the result envelope. */
export interface ToolFailure {
  readonly ok: false
  readonly error: {
    readonly code: string
    readonly message: string
    readonly attempts: number
    readonly retryable: boolean
    readonly retryAfterMs?: number
  }
}

/** What is told of a failure; attempts 1 and not retryable unless said otherwise. */
export interface FailureSpec {
  readonly code: string
  readonly message: string
  readonly attempts?: number
  readonly retryable?: boolean
  readonly retryAfterMs?: number | undefined
  readonly effects?: readonly ToolEffect[]
}

/** Longest failure message, in characters. */
export const maxFailureMessageChars = 1000

/** A call that did what was asked. */
export function okResult<Details>(
  text: string,
  details: Details,
  effects: readonly ToolEffect[] = [],
): ToolResult<Details> {
  return { text, isError: false, details, effects }
}

/** A call that failed in a way the model is told about; it never ends the run. */
export function errorResult(failure: FailureSpec): ToolResult<ToolFailure> {
  const { code, attempts = 1, retryable = false, retryAfterMs, effects = [] } = failure
  const message = cutMessage(failure.message.trim() === '' ? 'the tool failed' : failure.message)
  const error = {
    code,
    message,
    attempts,
    retryable,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  return { text: `${code}: ${message}`, isError: true, details: { ok: false, error }, effects }
}

function cutMessage(message: string): string {
  if (message.length <= maxFailureMessageChars) return message
  const kept = message.slice(0, maxFailureMessageChars - 1)
  // Half of a surrogate pair at the cut would not survive encoding.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`
}
