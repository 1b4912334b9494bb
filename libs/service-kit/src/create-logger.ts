import { pino } from 'pino'
import type { LogFields, Logger } from './logger.js'
import { hideSecretFields } from './secret-fields.js'

/** How much is logged, and where to. */
export interface LoggerOptions {
  readonly level?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | undefined
  /** Takes finished JSON lines; standard error unless told otherwise: standard output belongs to results. */
  readonly destination?: { write(line: string): unknown } | undefined
  /** Takes known secrets out of each line; see `secretRedactor`. */
  readonly redact?: ((text: string) => string) | undefined
}

/** JSON lines that name the service. Fields that are called like secrets are hidden at any depth. */
export function createLogger(name: string, options: LoggerOptions = {}): Logger {
  const { level = 'info', redact } = options
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true })
  const settings = {
    level,
    base: { service: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: redact ? { streamWrite: redact } : {},
  }
  return hiding(pino(settings, { write: (line: string) => void destination.write(line) }))
}

/** Hides here and not in pino's formatters, which do not see the fields of children. */
function hiding(inner: Logger): Logger {
  return {
    debug: (fields, message) => {
      inner.debug(hideSecretFields(fields), message)
    },
    info: (fields, message) => {
      inner.info(hideSecretFields(fields), message)
    },
    warn: (fields, message) => {
      inner.warn(hideSecretFields(fields), message)
    },
    error: (fields, message) => {
      inner.error(hideSecretFields(fields), message)
    },
    child: (fields: LogFields) => hiding(inner.child(hideSecretFields(fields))),
  }
}
