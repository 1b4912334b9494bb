import { PlatformError } from '@sciencediscovery/kernel'
import {
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import { fromDatabaseError } from './database-errors.js'
import { type Log } from './log.js'
import { prepareDirectory, setAside } from './pglite-directory.js'
import { type PgliteThread, startPgliteThread } from './pglite-thread.js'
import { statementText, toParameters, toQueryResult } from './query-result.js'
import { Turns } from './turns.js'

/** A data directory that did not open, and where it was put. */
export interface SetAside {
  readonly directory: string
  readonly movedTo: string
  readonly cause: unknown
}

/** How to open the embedded database. */
export interface PgliteOptions {
  /** Where the data lives; in memory when not given. Its owner must hold a lock on it. */
  readonly directory?: string
  /** A data directory kept ready to copy, made on first use: a cold start then takes 1 s instead of 5 s. */
  readonly templateDirectory?: string
  /** Told when the directory did not open and was replaced by an empty one: views are rebuilt from the streams. */
  readonly onSetAside?: (event: SetAside) => void
  readonly logger?: Log
  /** How long one taker waits for the connection. Default 30 000. */
  readonly turnTimeoutMs?: number
}

/** One embedded database, shared by any number of schemas. It has one connection, taken in turns. */
export interface Pglite extends AsyncDisposable {
  /** A pool whose statements run in the schema; ending it leaves the database open. */
  poolOf(searchPath: string): PostgresPool
}

const openTimeoutMs = 60_000

/** Opens the embedded database; a directory that does not open is set aside, reported and rebuilt. */
export async function openPglite(options: PgliteOptions = {}): Promise<Pglite> {
  const { directory } = options
  const pglite = directory === undefined ? await start() : await openDirectory(directory, options)
  return new SharedPglite(pglite, options.turnTimeoutMs ?? 30_000)
}

async function openDirectory(directory: string, options: PgliteOptions): Promise<PgliteThread> {
  await prepareDirectory(directory, options.templateDirectory)
  try {
    return await start(directory)
  } catch (cause) {
    const movedTo = await setAside(directory)
    options.logger?.error(
      { directory, movedTo, err: cause },
      'the database directory did not open and was set aside',
    )
    options.onSetAside?.({ directory, movedTo, cause })
  }
  await prepareDirectory(directory, options.templateDirectory)
  return start(directory)
}

async function start(dataDir?: string): Promise<PgliteThread> {
  const thread = startPgliteThread(dataDir)
  try {
    await withDeadline(thread.opened)
    return thread
  } catch (error) {
    await thread.terminate()
    throw error
  }
}

async function withDeadline(opening: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(
        new PlatformError('deadline', `the embedded database did not open in ${openTimeoutMs} ms`),
      )
    }, openTimeoutMs)
  })
  return Promise.race([opening, late]).finally(() => {
    clearTimeout(timer)
  })
}

class SharedPglite implements Pglite {
  readonly #pglite: PgliteThread
  readonly #turnTimeoutMs: number
  readonly #turns = new Turns()
  #searchPath = ''
  #closed = false

  constructor(pglite: PgliteThread, turnTimeoutMs: number) {
    this.#pglite = pglite
    this.#turnTimeoutMs = turnTimeoutMs
  }

  poolOf(searchPath: string): PostgresPool {
    return {
      connect: () => this.#connect(searchPath),
      end: () => Promise.resolve(),
    }
  }

  async #connect(searchPath: string): Promise<PostgresPoolClient> {
    const release = await this.#turns.take(this.#turnTimeoutMs)
    try {
      if (this.#closed) throw new PlatformError('unavailable', 'the embedded database is closed')
      if (this.#searchPath !== searchPath)
        await this.#pglite.query(`set search_path to ${searchPath}`, [])
      this.#searchPath = searchPath
    } catch (error) {
      release()
      throw fromDatabaseError(error)
    }
    return new PgliteClient(this.#pglite, release)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    const release = await this.#turns.take(this.#turnTimeoutMs)
    this.#closed = true
    release()
    await this.#pglite.close()
  }
}

class PgliteClient implements PostgresPoolClient {
  readonly #pglite: PgliteThread
  readonly #release: () => void

  constructor(pglite: PgliteThread, release: () => void) {
    this.#pglite = pglite
    this.#release = release
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    statement: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    return this.#send(statementText(statement), parameters)
  }

  release(destroy?: boolean): void {
    if (destroy !== true) {
      this.#release()
      return
    }
    // There is no other connection to turn to: end whatever transaction was left open on this one.
    void this.#pglite
      .query('rollback', [])
      .catch(() => undefined)
      .finally(this.#release)
  }

  async #send<R>(
    statement: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<R>> {
    try {
      return toQueryResult(await this.#pglite.query<R>(statement, toParameters(parameters)))
    } catch (error) {
      throw fromDatabaseError(error)
    }
  }
}
