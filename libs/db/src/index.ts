export { openDatabase, type Database, type DatabaseOptions } from './database.js'
export { openPglite, type Pglite, type PgliteOptions, type SetAside } from './pglite.js'
export { migrate, pendingMigrations, revert, type Migration, type AnyDatabase } from './migrate.js'
export {
  checkpointMigration,
  type CheckpointTables,
  type ViewCheckpointsTable,
} from './checkpoints.js'
export { fromDatabaseError } from './database-errors.js'
export { type Log } from './log.js'
export { openServiceDatabase, type ServiceDatabaseOptions } from './open-service-database.js'
