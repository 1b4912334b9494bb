import { toPlatformError, type ErrorCode, type PlatformError } from '@sciencediscovery/kernel'
import type { Logger } from '../logger.js'
import type { Admission } from './admission.js'
import { openCall, type OpenCall } from './open-call.js'
import type { RawMethod } from './raw-service.js'
import type { CallDesk } from './serve-method.js'

/** How one call ended. */
export interface CallReport {
  readonly method: string
  readonly code: 'ok' | ErrorCode
  readonly durationMs: number
}

interface DeskOptions {
  readonly admission: Admission
  readonly logger: Logger
  readonly maxMessageBytes: number
  readonly onCall: ((report: CallReport) => void) | undefined
}

/** A desk that can end the calls it has open. */
export interface AbortableDesk extends CallDesk {
  /** Ends all open calls, or those of one kind, with this reason. */
  abort(reason: PlatformError, kind?: RawMethod['kind']): void
}

/** Keeps the open calls of one server, logs how they fail and reports how they end. */
export function createCallDesk(options: DeskOptions): AbortableDesk {
  const { admission, logger, maxMessageBytes, onCall } = options
  const open = new Map<OpenCall, RawMethod['kind']>()
  return {
    maxMessageBytes,
    open(surface, kind) {
      const opened = openCall(surface, admission)
      open.set(opened, kind)
      return opened
    },
    close(opened, method, error) {
      opened?.finish()
      if (opened) open.delete(opened)
      const code = error === undefined ? 'ok' : logFailure(logger, method, error)
      const durationMs = opened ? performance.now() - opened.startedAt : 0
      onCall?.({ method, code, durationMs })
    },
    abort(reason, kind) {
      for (const [call, itsKind] of open) if (!kind || kind === itsKind) call.abort(reason)
    },
  }
}

/** The caller of a bug is told nothing, so the log must hold everything. */
function logFailure(logger: Logger, method: string, thrown: unknown): ErrorCode {
  const error = toPlatformError(thrown)
  const fields = { method, code: error.code, err: error }
  if (error.code === 'bug') logger.error(fields, 'call failed')
  else if (error.code === 'unavailable' || error.code === 'unknown') {
    logger.warn(fields, 'call failed')
  } else logger.debug({ ...fields, err: undefined, reason: error.message }, 'call refused')
  return error.code
}
