import { PlatformError } from '@sciencediscovery/kernel'
import {
  type PostgresCursor,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
} from 'kysely'
import pg from 'pg'
import { createPgColumnTypes } from './column-parsers.js'
import { endsConnection, fromDatabaseError } from './database-errors.js'
import { type Log } from './log.js'
import { statementText, toParameters, toQueryResult } from './query-result.js'

/** How to reach a PostgreSQL server. */
export interface PgPoolOptions {
  readonly url: string
  readonly searchPath: string
  readonly poolSize: number
  readonly statementTimeoutMs: number
  readonly logger?: Log | undefined
}

const connectTimeoutMs = 10_000

/** A pool of node-postgres whose errors are ours and whose connections are prepared for the schema. */
export function createPgPool(options: PgPoolOptions): PostgresPool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    types: createPgColumnTypes(),
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'sciencediscovery',
  })
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', (error) =>
    options.logger?.warn({ err: error }, 'an idle database connection broke'),
  )
  const prepared = new WeakSet<pg.PoolClient>()
  let ending: Promise<void> | undefined
  return {
    connect: () => connect(pool, prepared, options),
    end: () => (ending ??= pool.end()),
  }
}

async function connect(
  pool: pg.Pool,
  prepared: WeakSet<pg.PoolClient>,
  options: PgPoolOptions,
): Promise<PostgresPoolClient> {
  const client = await pool.connect().catch((error: unknown) => {
    throw fromDatabaseError(error)
  })
  if (prepared.has(client)) return new PgClient(client, options.statementTimeoutMs)
  try {
    await client.query(timed(sessionSettings(options), connectTimeoutMs))
    prepared.add(client)
    return new PgClient(client, options.statementTimeoutMs)
  } catch (error) {
    client.release(true)
    throw fromDatabaseError(error)
  }
}

function sessionSettings({ searchPath, statementTimeoutMs }: PgPoolOptions): string {
  return [
    `set search_path to ${searchPath}`,
    `set statement_timeout to ${statementTimeoutMs}`,
    // A process that stops inside a transaction must not hold its row locks for ever.
    `set idle_in_transaction_session_timeout to ${statementTimeoutMs * 2}`,
    `set timezone to 'UTC'`,
  ].join('; ')
}

class PgClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #statementTimeoutMs: number
  #broken = false
  /** The transaction has a limit of its own: no statement is given up here. */
  #isPatient = false
  /** A connection that breaks between two statements says so by an event, which must have a listener. */
  readonly #onError = (): void => {
    this.#broken = true
  }

  constructor(client: pg.PoolClient, statementTimeoutMs: number) {
    this.#client = client
    this.#statementTimeoutMs = statementTimeoutMs
    client.on('error', this.#onError)
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
    this.#client.off('error', this.#onError)
    this.#client.release(destroy === true || this.#broken)
  }

  async #send<R>(
    statement: string,
    parameters: readonly unknown[],
  ): Promise<PostgresQueryResult<R>> {
    // The server has rolled back already; failing here would hide the error that broke the connection.
    if (statement === 'rollback' && this.#broken) return toQueryResult<R>({ rows: [] })
    const wasBroken = this.#broken
    try {
      const result = await this.#client.query(this.#withTimeout(statement, parameters))
      return toQueryResult<R>(result)
    } catch (error) {
      this.#broken ||= endsConnection(error)
      if (statement === 'commit' && this.#broken && !wasBroken) throw unansweredCommit(error)
      throw fromDatabaseError(error)
    }
  }

  /** The server ends a slow statement first; this is for a server that has gone silent. */
  #withTimeout(text: string, parameters: readonly unknown[]): TimedQuery {
    this.#isPatient ||= text.startsWith('set local statement_timeout')
    const timeoutMs = this.#isPatient ? longestTimerMs : this.#statementTimeoutMs + 5_000
    return timed(text, timeoutMs, parameters)
  }
}

interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number
}

const longestTimerMs = 2 ** 31 - 1

function timed(text: string, timeoutMs: number, parameters: readonly unknown[] = []): TimedQuery {
  return { text, values: toParameters(parameters), query_timeout: timeoutMs }
}

function unansweredCommit(cause: unknown): PlatformError {
  return new PlatformError('unknown', 'the database did not say whether it committed', { cause })
}
