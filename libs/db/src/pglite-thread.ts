import { Worker } from 'node:worker_threads'
import { PlatformError } from '@sciencediscovery/kernel'
import { columnTypes, parseBytea, parseDay, parseInt8 } from './column-parsers.js'
import { type DriverResult } from './query-result.js'

/** What the worker answers: to the first message, that it is open, and then to each statement by its id. */
interface Answer {
  readonly id: number
  readonly result?: WorkerResult
  readonly failure?: { readonly message: string; readonly code: unknown }
}

interface WorkerResult {
  readonly rows: readonly (readonly unknown[])[]
  readonly columns: readonly { readonly name: string; readonly type: number }[]
  readonly command?: string
  readonly rowCount: number
}

interface Pending {
  readonly resolve: (result: WorkerResult | undefined) => void
  readonly reject: (error: Error) => void
}

/** The embedded database in its own thread. One statement at a time reaches it, in the order asked. */
export interface PgliteThread {
  /** Resolves when the database has opened; rejects when the directory does not open. */
  readonly opened: Promise<void>
  query<R>(sql: string, parameters: readonly unknown[]): Promise<DriverResult<R>>
  close(): Promise<void>
  /** Ends the thread without closing the database, for one that does not answer. */
  terminate(): Promise<void>
}

/** The default of 128 MiB shared buffers costs 110 MiB resident and 0.4 s at every start. */
const settings = ['-c', 'shared_buffers=16MB', '-c', 'wal_buffers=1MB', '-c', 'timezone=UTC']

type Parse = (text: string) => unknown

/** For an array, what reads its elements. */
const parsers = new Map<number, Parse>([
  [columnTypes.int8, parseInt8],
  [columnTypes.int8Array, parseInt8],
  [columnTypes.date, parseDay],
  [columnTypes.bytea, parseBytea],
])

/** Starts the thread; it opens the directory at once, while the caller goes on loading. */
export function startPgliteThread(dataDir: string | undefined): PgliteThread {
  const workerData = {
    dataDir,
    settings,
    textTypes: [...parsers.keys()],
    byteaType: columnTypes.bytea,
  }
  const worker = new Worker(new URL('./pglite-worker.js', import.meta.url), { workerData })
  const pending = new Map<number, Pending>()
  let lastId = 0
  let ended: Error | undefined
  const failAll = (error: Error): void => {
    ended ??= error
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }
  worker.on('message', ({ id, result, failure }: Answer) => {
    const waiting = pending.get(id)
    pending.delete(id)
    if (failure === undefined) waiting?.resolve(result)
    else waiting?.reject(Object.assign(new Error(failure.message), { code: failure.code }))
  })
  worker.on('error', failAll)
  worker.on('exit', () => {
    failAll(new PlatformError('unavailable', 'the embedded database has ended'))
  })
  const answerTo = (id: number): Promise<WorkerResult | undefined> =>
    new Promise((resolve, reject) => {
      if (ended === undefined) pending.set(id, { resolve, reject })
      else reject(ended)
    })
  const ask = (message: object): Promise<WorkerResult | undefined> => {
    const id = (lastId += 1)
    const answer = answerTo(id)
    worker.postMessage({ ...message, id })
    return answer
  }
  return {
    opened: answerTo(0).then(() => undefined),
    query: async <R>(sql: string, parameters: readonly unknown[]) =>
      toRows<R>(await ask({ sql, parameters })),
    close: async () => {
      await ask({})
      await worker.terminate()
    },
    terminate: async () => {
      await worker.terminate()
    },
  }
}

function toRows<R>(result: WorkerResult | undefined): DriverResult<R>
function toRows(result: WorkerResult | undefined): DriverResult<unknown> {
  if (!result) throw new PlatformError('bug', 'the embedded database sent no result')
  const { rows, columns, command, rowCount } = result
  const read = columns.map(({ name, type }) => ({ name, parse: parsers.get(type) }))
  const objects = rows.map((row) =>
    Object.fromEntries(
      read.map(({ name, parse }, index) => [name, parse ? parsed(row[index], parse) : row[index]]),
    ),
  )
  return { rows: objects, rowCount, ...(command !== undefined && { command }) }
}

function parsed(value: unknown, parse: Parse): unknown {
  if (Array.isArray(value)) return value.map((element) => parsed(element, parse))
  return typeof value === 'string' ? parse(value) : value
}
