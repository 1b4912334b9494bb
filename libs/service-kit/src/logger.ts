/** What a log line carries beside its message. Errors go under `err`. */
export type LogFields = Readonly<Record<string, unknown>>

/** Structured log lines; fields first, then one lower-case clause. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger
}
