import { type JournalRecord, type Place } from './journal-format.js'

/** Called in log order, at the moment the record is durable. */
export type Durable = (place: Place | undefined) => void

/** Where the embedded store writes what must survive: a journal file, or nothing at all in fast tests. */
export interface RecordLog extends AsyncDisposable {
  /** Resolves when the record is durable; `onDurable` runs before, in the order of the log. */
  write(record: JournalRecord, onDurable?: Durable): Promise<void>
  /** Writes along with the next record, or soon: for what may be lost without harm. */
  writeLater(record: JournalRecord): void
  /** The bodies at the places. */
  read(places: readonly Place[]): Promise<readonly Buffer[]>
}

/** The log of a store without a directory. */
export const noLog: RecordLog = {
  write: (_record, onDurable) => {
    onDurable?.(undefined)
    return Promise.resolve()
  },
  writeLater: () => undefined,
  read: () => Promise.resolve([]),
  [Symbol.asyncDispose]: () => Promise.resolve(),
}
