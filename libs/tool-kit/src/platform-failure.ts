import { type ErrorCode, type PlatformError } from '@sciencediscovery/kernel'
import { type ToolFailure, type ToolResult, errorResult } from './tool-result.js'

interface Meaning {
  /** What the model is told; undefined: whether the effect happened is open, so the call must be asked again. */
  readonly code: string | undefined
  readonly retryable: boolean
}

const meanings = {
  invalid: { code: 'INVALID_TOOL_ARGUMENTS', retryable: true },
  unauthenticated: { code: 'FORBIDDEN', retryable: false },
  forbidden: { code: 'FORBIDDEN', retryable: false },
  not_found: { code: 'NOT_FOUND', retryable: false },
  already_exists: { code: 'ALREADY_EXISTS', retryable: false },
  refused: { code: 'REFUSED', retryable: false },
  conflict: { code: 'CONFLICT', retryable: true },
  exhausted: { code: 'EXHAUSTED', retryable: true },
  unavailable: { code: undefined, retryable: true },
  unknown: { code: undefined, retryable: true },
  deadline: { code: undefined, retryable: true },
  cancelled: { code: undefined, retryable: false },
  bug: { code: 'TOOL_EXECUTION_FAILED', retryable: false },
} as const satisfies Record<ErrorCode, Meaning>

/**
 * The failure as the model is told it: code, field and remedy. Undefined for errors that say nothing
 * about the call itself (unavailable, unknown, deadline, cancelled): they fail the RPC, and the caller asks again.
 */
export function failureOf(error: PlatformError): ToolResult<ToolFailure> | undefined {
  const { code, retryable }: Meaning = meanings[error.code]
  if (code === undefined) return undefined
  const { reason, remedy, retryAfterMs } = error.details
  return errorResult({
    code: reason ?? code,
    message: withRemedy(error.message, remedy),
    retryable: retryable || retryAfterMs !== undefined || reason === 'workspace_busy',
    retryAfterMs,
  })
}

function withRemedy(message: string, remedy: string | undefined): string {
  return remedy === undefined || message.includes(remedy) ? message : `${message}; ${remedy}`
}
