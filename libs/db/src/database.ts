import { invalid } from '@sciencediscovery/kernel'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { refuseAsciiLocale } from './locale.js'
import { type Log } from './log.js'
import { createPgPool } from './pg-pool.js'
import { openPglite, type Pglite, type SetAside } from './pglite.js'
import { searchPathOf } from './schema-name.js'

/** Where the database is; the first that is given of `url`, `pglite`, `directory`, else in memory. */
export interface DatabaseOptions {
  /** The schema of the service: everything without a schema name is found and made there. */
  readonly schema: string
  /** A PostgreSQL server: `postgres://user:password@host:port/name`. */
  readonly url?: string
  /** An embedded database that others share; it stays open when this one is disposed. */
  readonly pglite?: Pglite
  /** The data directory of an embedded database of its own. */
  readonly directory?: string
  /** See `PgliteOptions`. */
  readonly templateDirectory?: string
  readonly onSetAside?: (event: SetAside) => void
  readonly logger?: Log
  /** Connections to the server. Default 10. */
  readonly poolSize?: number
  /** A statement that takes longer is ended with `deadline`. Default 30 000. */
  readonly statementTimeoutMs?: number
}

/** A service's schema in PostgreSQL or PGlite: same migrations, same SQL. */
export interface Database<T> extends AsyncDisposable {
  readonly db: Kysely<T>
  /** The same database for code that does not know the tables: migrations and view machinery. */
  readonly untyped: Kysely<unknown>
  readonly dialect: 'pg' | 'pglite'
  readonly schema: string
}

/** Opens the database and checks that it answers; the tables are made by `migrate`, not here. */
export async function openDatabase<T>(options: DatabaseOptions): Promise<Database<T>> {
  const searchPath = searchPathOf(options.schema)
  if (options.url !== undefined) return openServer<T>(options.url, searchPath, options)
  const own = options.pglite === undefined ? await openPglite(options) : undefined
  const pglite = options.pglite ?? own
  if (pglite === undefined) throw invalid('pglite', 'is missing')
  return build<T>({
    pool: pglite.poolOf(searchPath),
    dialect: 'pglite',
    schema: options.schema,
    close: async () => own?.[Symbol.asyncDispose](),
  })
}

async function openServer<T>(
  url: string,
  searchPath: string,
  options: DatabaseOptions,
): Promise<Database<T>> {
  const pool = createPgPool({
    url,
    searchPath,
    poolSize: options.poolSize ?? 10,
    statementTimeoutMs: options.statementTimeoutMs ?? 30_000,
    logger: options.logger,
  })
  const database = build<T>({
    pool,
    dialect: 'pg',
    schema: options.schema,
    close: () => pool.end(),
  })
  try {
    await refuseAsciiLocale(database.untyped)
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

interface Parts {
  readonly pool: PostgresPool
  readonly dialect: 'pg' | 'pglite'
  readonly schema: string
  readonly close: () => Promise<void>
}

function build<T>({ pool, dialect, schema, close }: Parts): Database<T> {
  const kyselyDialect = new PostgresDialect({ pool })
  const db = new Kysely<T>({ dialect: kyselyDialect })
  const untyped = new Kysely<unknown>({ dialect: kyselyDialect })
  return {
    db,
    untyped,
    dialect,
    schema,
    [Symbol.asyncDispose]: async () => {
      await db.destroy()
      await untyped.destroy()
      await close()
    },
  }
}
