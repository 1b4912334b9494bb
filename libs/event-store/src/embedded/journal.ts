import { closeSync, constants, ftruncateSync, fsyncSync, mkdirSync, openSync, write } from 'node:fs'
import { dirname } from 'node:path'
import { PlatformError } from '@sciencediscovery/kernel'
import { type JournalRecord, type Place, encodeFrame, recordHeaderBytes } from './journal-format.js'
import { readPlaces } from './journal-read.js'
import { type RecordVisitor, type Recovery, recoverJournal } from './journal-recovery.js'
import { type Durable, type RecordLog } from './record-log.js'

interface Waiting {
  readonly record: JournalRecord
  readonly onDurable: Durable | undefined
  readonly resolve: () => void
  readonly reject: (error: PlatformError) => void
}

const maxBatchBytes = 4 * 1024 * 1024
const laterMs = 20

/** An append-only file with group commit: what arrives while one write is on its way goes out with the next. */
export class Journal implements RecordLog {
  readonly #fd: number
  readonly #path: string
  #endOffset = 0
  #queue: Waiting[] = []
  #later: Waiting[] = []
  #writing: Promise<void> | undefined
  #laterTimer: NodeJS.Timeout | undefined
  #failure: PlatformError | undefined

  /** Opens or creates the file; `recover` comes next. */
  constructor(path: string, fsync: boolean) {
    this.#path = path
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // O_DSYNC: the write returns when the bytes and the new length are on the disk, in one trip.
    const flags = constants.O_RDWR | constants.O_CREAT | (fsync ? constants.O_DSYNC : 0)
    this.#fd = openSync(path, flags, 0o600)
    if (fsync) syncFolder(dirname(path))
  }

  /** Shows every record to the visitor, once, before the first write. */
  recover(visit: RecordVisitor): Recovery {
    const recovery = recoverJournal(this.#fd, this.#path, visit)
    this.#endOffset = recovery.endOffset
    return recovery
  }

  write(record: JournalRecord, onDurable?: Durable): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#queue.push({ record, onDurable, resolve, reject })
      this.#wake()
    })
  }

  writeLater(record: JournalRecord): void {
    const nothing = (): void => undefined
    this.#later.push({ record, onDurable: undefined, resolve: nothing, reject: nothing })
    this.#laterTimer ??= setTimeout(() => {
      this.#wake()
    }, laterMs)
  }

  read(places: readonly Place[]): Promise<readonly Buffer[]> {
    return readPlaces(this.#fd, this.#path, places)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wake()
    while (this.#writing) await this.#writing
    this.#failure ??= new PlatformError('unavailable', 'the store is closed')
    closeSync(this.#fd)
  }

  #wake(): void {
    if (this.#writing || this.#failure) return
    this.#writing = Promise.resolve().then(() => this.#drain())
  }

  async #drain(): Promise<void> {
    clearTimeout(this.#laterTimer)
    this.#laterTimer = undefined
    try {
      while (this.#queue.length > 0 || this.#later.length > 0) await this.#writeBatch()
    } finally {
      this.#writing = undefined
    }
  }

  async #writeBatch(): Promise<void> {
    const batch = [...this.#later, ...this.#takeBatch()]
    this.#later = []
    const { frame, places } = encodeFrame(
      batch.map((waiting) => waiting.record),
      this.#endOffset,
    )
    try {
      await writeFully(this.#fd, frame, this.#endOffset)
    } catch (error) {
      this.#giveUp(batch, error)
      return
    }
    this.#endOffset += frame.length
    batch.forEach(({ onDurable, resolve }, index) => {
      onDurable?.(places[index])
      resolve()
    })
  }

  #takeBatch(): Waiting[] {
    let count = 0
    for (let bytes = 0; count < this.#queue.length && bytes < maxBatchBytes; count += 1) {
      bytes += recordHeaderBytes + (this.#queue[count]?.record.body.length ?? 0)
    }
    return this.#queue.splice(0, count)
  }

  /** A full disk takes the write back and goes on; after any other failure nobody knows what the file holds. */
  #giveUp(batch: readonly Waiting[], cause: unknown): void {
    const undone = isFull(cause) && truncated(this.#fd, this.#endOffset)
    const remedy = undone
      ? 'free space on the data directory'
      : 'check the disk, then restart: the tail is repaired'
    const failure = undone
      ? new PlatformError('exhausted', `no space left for journal ${this.#path}`, { cause, remedy })
      : new PlatformError('unavailable', `journal ${this.#path} cannot be written`, {
          cause,
          remedy,
        })
    if (!undone) this.#failure = failure
    const lost = new PlatformError('unknown', `journal ${this.#path} did not take the write`, {
      cause,
      remedy,
    })
    for (const waiting of batch) waiting.reject(undone ? failure : lost)
    for (const waiting of this.#queue.splice(0)) waiting.reject(failure)
  }
}

function writeFully(fd: number, bytes: Buffer, offset: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const from = (done: number): void => {
      write(fd, bytes, done, bytes.length - done, offset + done, (error, written) => {
        if (error) reject(error)
        else if (done + written < bytes.length) from(done + written)
        else resolve()
      })
    }
    from(0)
  })
}

function isFull(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(error.code))
  )
}

function truncated(fd: number, endOffset: number): boolean {
  try {
    ftruncateSync(fd, endOffset)
    fsyncSync(fd)
    return true
  } catch {
    return false
  }
}

function syncFolder(path: string): void {
  const fd = openSync(path, constants.O_RDONLY)
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
