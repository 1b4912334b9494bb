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

/** JSON lines with a name. Fields that are called like secrets are hidden at any depth. */
export function createLogger(name: string, options: LoggerOptions = {}): Logger {
  const { level = 'info', redact } = options
  const destination = options.destination ?? pino.destination({ dest: 2, sync: true })
  const settings = {
    name,
    level,
    base: { service: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      bindings: (fields: LogFields) => hideSecretFields(fields),
      log: (fields: LogFields) => hideSecretFields(fields),
    },
    hooks: redact ? { streamWrite: redact } : {},
  }
  return pino(settings, { write: (line: string) => void destination.write(line) })
}
