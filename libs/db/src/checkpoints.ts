import { sql } from 'kysely'
import { type Migration } from './migrate.js'

/** How far a view has read one physical stream; moved in the transaction that wrote the rows. */
export interface ViewCheckpointsTable {
  readonly view: string
  readonly stream: string
  /** The stream's identity: another one means it was made anew and the view must be rebuilt. */
  readonly identity: string
  readonly sequence: number
}

/** For the schema type of a service that has views. */
export interface CheckpointTables {
  readonly view_checkpoints: ViewCheckpointsTable
}

/** The first migration of every service that has views. */
export const checkpointMigration: Migration = {
  name: '20260101000000-view-checkpoints',
  up: async (db) => {
    await sql`create table view_checkpoints (
      view text not null,
      stream text not null,
      identity text not null,
      sequence bigint not null,
      primary key (view, stream))`.execute(db)
  },
  down: async (db) => {
    await sql`drop table view_checkpoints`.execute(db)
  },
}
