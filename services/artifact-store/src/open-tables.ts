import { join } from 'node:path'
import {
  type Database,
  type Log,
  migrate,
  openDatabase,
  pendingMigrations,
  type Pglite,
} from '@sciencediscovery/db'
import { refused } from '@sciencediscovery/kernel'
import { type ArtifactStoreConfig } from './config.js'
import { migrations } from './db/migrations/index.js'
import { type ArtifactStoreTables } from './db/schema.js'

const schema = 'artifact_store'

/** The service's schema. An embedded database is brought up to date here; a server is by `make migrate`, never by a serving process. */
export async function openTables(
  config: Pick<ArtifactStoreConfig, 'pgUrl' | 'dataDirectory'>,
  pglite: Pglite | undefined,
  logger: Log,
): Promise<Database<ArtifactStoreTables>> {
  const { pgUrl, dataDirectory } = config
  const database = await openDatabase<ArtifactStoreTables>({
    schema,
    logger,
    ...(pgUrl === undefined ? embedded(pglite, dataDirectory) : { url: pgUrl }),
  })
  try {
    if (database.dialect === 'pglite') await migrate(database, migrations)
    else await refuseOldTables(database)
    return database
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

function embedded(
  pglite: Pglite | undefined,
  dataDirectory: string,
): { readonly pglite: Pglite } | { readonly directory: string } {
  return pglite === undefined ? { directory: join(dataDirectory, 'pglite') } : { pglite }
}

async function refuseOldTables(database: Database<ArtifactStoreTables>): Promise<void> {
  const pending = await pendingMigrations(database, migrations)
  if (pending.length === 0) return
  throw refused(`${schema} lacks ${pending.join(', ')}`, {
    reason: 'migrations_pending',
    remedy: 'run make migrate',
  })
}
