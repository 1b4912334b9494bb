import { type Log } from '@sciencediscovery/db'
import { type PlatformError } from '@sciencediscovery/kernel'
import { type CheckpointKey } from './checkpoint-rows.js'
import { type ViewMetrics } from './view-metrics.js'

/** What a view cannot get past. It is tried again for as long as it takes. */
export interface ViewFailure {
  readonly sequence: number
  readonly error: string
  readonly attempts: number
}

/** What failures are reported to, and from when on they are shown. */
export interface FailuresContext {
  readonly logger: Log
  readonly metrics: ViewMetrics
  readonly failAfterAttempts: number
}

const firstPauseMs = 100
const longestPauseMs = 30_000

/** Counts how often one reader failed at the same place, and says how long to wait. */
export class Failures {
  readonly #key: CheckpointKey
  readonly #context: FailuresContext
  #last: ViewFailure | undefined

  constructor(key: CheckpointKey, context: FailuresContext) {
    this.#key = key
    this.#context = context
  }

  /** The failure, once it happened often enough to be shown. */
  get shown(): ViewFailure | undefined {
    const isShown =
      this.#last !== undefined && this.#last.attempts >= this.#context.failAfterAttempts
    return isShown ? this.#last : undefined
  }

  /** Notes a failure; returns how long to wait before the next try, in milliseconds. */
  note(error: PlatformError, sequence: number): number {
    const attempts = this.#last?.sequence === sequence ? this.#last.attempts + 1 : 1
    this.#last = { sequence, error: textOf(error), attempts }
    const { logger, metrics, failAfterAttempts } = this.#context
    metrics.failed(this.#key, { sequence, attempts, code: error.code })
    const fields = { ...this.#key, sequence, attempts, err: error }
    if (attempts === failAfterAttempts) logger.error(fields, 'a view keeps failing at a commit')
    else if (attempts < failAfterAttempts)
      logger.warn(fields, 'a view failed at a commit and tries again')
    return Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(attempts - 1, 16))
  }

  /** The reader got past the sequence. */
  passed(sequence: number): void {
    if (this.#last !== undefined && this.#last.sequence <= sequence) this.#last = undefined
  }
}

/** What the view threw, not that it was unexpected: an operator must see the reason. */
function textOf(error: PlatformError): string {
  return error.code === 'bug' && error.cause instanceof Error ? error.cause.message : error.message
}
