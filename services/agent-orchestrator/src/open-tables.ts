import { join } from 'node:path'
import {
  type Database,
  type Log,
  type Pglite,
  migrate,
  openDatabase,
  pendingMigrations,
} from '@sciencediscovery/db'
import { refused } from '@sciencediscovery/kernel'
import { migrations } from './db/migrations/index.js'
import { type Schema } from './db/schema.js'

const schema = 'agent_orchestrator'

/** The service's schema. An embedded database is brought up to date here; a server is by `make migrate`, never by a serving process. */
export async function openTables(
  config: { readonly pgUrl?: string | undefined; readonly dataDirectory: string },
  pglite: Pglite | undefined,
  logger: Log,
): Promise<Database<Schema>> {
  const embedded =
    pglite === undefined ? { directory: join(config.dataDirectory, 'pglite') } : { pglite }
  const place = config.pgUrl === undefined ? embedded : { url: config.pgUrl }
  const database = await openDatabase<Schema>({ schema, logger, ...place })
  try {
    if (database.dialect === 'pglite') await migrate(database, migrations)
    else await refuseOldTables(database)
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

async function refuseOldTables(database: Database<Schema>): Promise<void> {
  const pending = await pendingMigrations(database, migrations)
  if (pending.length === 0) return
  throw refused(`${schema} lacks ${pending.join(', ')}`, {
    reason: 'migrations_pending',
    remedy: 'run make migrate',
  })
}
