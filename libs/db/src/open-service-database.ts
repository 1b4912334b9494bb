import { join } from 'node:path'
import { refused } from '@sciencediscovery/kernel'
import { type Database, openDatabase } from './database.js'
import { type Log } from './log.js'
import { type Migration, migrate, pendingMigrations } from './migrate.js'
import { type Pglite } from './pglite.js'

/** Where a service keeps its views. */
export interface ServiceDatabaseOptions {
  readonly schema: string
  readonly migrations: readonly Migration[]
  /** A PostgreSQL server; without one the database is embedded. */
  readonly url?: string | undefined
  /** An embedded database that all services of the process share. */
  readonly pglite?: Pglite | undefined
  /** Holds the embedded database when none is handed in. */
  readonly dataDirectory: string
  readonly logger: Log
}

/** A service's schema, ready for use. An embedded database is brought up to date here; a server is by `make migrate`, never by a serving process. */
export async function openServiceDatabase<T>(
  options: ServiceDatabaseOptions,
): Promise<Database<T>> {
  const { schema, migrations, url, pglite, dataDirectory, logger } = options
  const embedded = pglite === undefined ? { directory: join(dataDirectory, 'pglite') } : { pglite }
  const database = await openDatabase<T>({
    schema,
    logger,
    ...(url === undefined ? embedded : { url }),
  })
  try {
    if (database.dialect === 'pglite') await migrate(database, migrations)
    else await refuseOldTables(database, migrations)
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

async function refuseOldTables<T>(
  database: Database<T>,
  migrations: readonly Migration[],
): Promise<void> {
  const pending = await pendingMigrations(database, migrations)
  if (pending.length === 0) return
  throw refused(`${database.schema} lacks ${pending.join(', ')}`, {
    reason: 'migrations_pending',
    remedy: 'run make migrate',
  })
}
