import { checkpointMigration, type Migration } from '@sciencediscovery/db'
import { artifactsMigration } from './20261130210000-artifacts.js'
import { provenanceMigration } from './20261130210100-provenance.js'

/** In the order they are applied; none is edited once it was released. */
export const migrations: readonly Migration[] = [
  checkpointMigration,
  artifactsMigration,
  provenanceMigration,
]
