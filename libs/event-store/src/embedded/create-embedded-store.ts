import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { PlatformError } from '@sciencediscovery/kernel'
import { type EventPorts } from '../event-ports.js'
import { type Timers, systemTimers } from '../timers.js'
import { defaultRunShards } from '../topology.js'
import { Core, type CoreOptions, type Warning } from './core.js'
import { lockDirectory } from './directory-lock.js'
import { EmbeddedEventStore } from './embedded-event-store.js'
import { EmbeddedSignals } from './embedded-signals.js'
import { EmbeddedWorkQueue } from './embedded-work-queue.js'
import { type Header, HeaderSchema, fromRecord, toRecord } from './group-records.js'
import { Journal } from './journal.js'
import { recordKinds } from './journal-format.js'
import { type RecordLog, noLog } from './record-log.js'

/** An embedded store. Disposing it closes the journal and frees the directory. */
export interface EmbeddedStore extends EventPorts, AsyncDisposable {
  /** Ports of their own on the same store: what one service of a local stack holds and disposes. */
  attach(): EventPorts
}

export interface EmbeddedStoreOptions {
  /** The data directory; without one everything is in memory and gone with the process. */
  readonly directory?: string
  /** How many streams the runs are spread over; what the directory was started with wins. Default 4. */
  readonly runShards?: number
  /** Sync before every answer. Default true. */
  readonly fsync?: boolean
  /** Told what was repaired at start. */
  readonly onWarning?: (warning: Warning) => void
  /** Memory for recently used commits when there is a directory. Default 32 MiB. */
  readonly cacheBytes?: number
  readonly timers?: Timers
}

/** One process, one journal, the semantics of the bus. Throws `unavailable` (`directory_locked`) when another has it. */
export async function createEmbeddedStore(
  options: EmbeddedStoreOptions = {},
): Promise<EmbeddedStore> {
  const { directory } = options
  const lock = directory === undefined ? undefined : lockDirectory(directory)
  try {
    const log =
      directory === undefined ? noLog : new Journal(journalPath(directory), options.fsync ?? true)
    try {
      return portsOver(await openCore(log, options), async () => {
        await log[Symbol.asyncDispose]()
        lock?.[Symbol.dispose]()
      })
    } catch (error) {
      await log[Symbol.asyncDispose]()
      throw error
    }
  } catch (error) {
    lock?.[Symbol.dispose]()
    throw error
  }
}

function journalPath(directory: string): string {
  return join(directory, 'journal', '000001.journal')
}

async function openCore(log: RecordLog, options: EmbeddedStoreOptions): Promise<Core> {
  const notes: Warning[] = []
  const coreOf = (header: Header): Core => new Core({ log, header, notes, ...settingsOf(options) })
  let core: Core | undefined
  if (log instanceof Journal) {
    const { cutBytes, endOffset } = log.recover((kind, body, place) => {
      if (kind === recordKinds.header) core ??= coreOf(fromRecord(HeaderSchema, body))
      else if (core) core.recover(kind, body, place)
      else
        throw new PlatformError('bug', 'the journal does not start with its header', {
          reason: 'journal_damaged',
        })
    })
    if (cutBytes > 0) {
      notes.push({
        problem: `the last write to the journal was unfinished: ${cutBytes} bytes cut off at byte ${endOffset}`,
        remedy: 'nothing to do: it was never acknowledged',
      })
    }
  }
  if (!core) {
    const header = {
      format: 1 as const,
      identity: randomUUID(),
      runShards: options.runShards ?? defaultRunShards,
    }
    await log.write(toRecord(recordKinds.header, header))
    core = coreOf(header)
  }
  if (options.runShards !== undefined && options.runShards !== core.ledger.runShards) {
    notes.push({
      problem: `runs are spread over ${core.ledger.runShards} streams, not ${options.runShards}`,
      remedy: 'the number is fixed at the first start of a data directory: set it back',
    })
  }
  for (const note of notes) options.onWarning?.(note)
  core.recovered()
  return core
}

function settingsOf(options: EmbeddedStoreOptions): Omit<CoreOptions, 'log' | 'header' | 'notes'> {
  return {
    inMemory: options.directory === undefined,
    fsync: options.fsync ?? true,
    cacheBytes: options.cacheBytes ?? 32 * 1024 * 1024,
    timers: options.timers ?? systemTimers,
  }
}

function portsOver(core: Core, close: () => Promise<void>): EmbeddedStore {
  const sessions = new Set<EventPorts>()
  const attach = (): EventPorts => {
    const ports = {
      store: new EmbeddedEventStore(core),
      queue: new EmbeddedWorkQueue(core.board),
      signals: new EmbeddedSignals(core.signals),
    }
    sessions.add(ports)
    return ports
  }
  return {
    ...attach(),
    attach,
    [Symbol.asyncDispose]: async () => {
      for (const { store, queue, signals } of sessions) {
        await store[Symbol.asyncDispose]()
        await queue[Symbol.asyncDispose]()
        await signals[Symbol.asyncDispose]()
      }
      await close()
    },
  }
}
