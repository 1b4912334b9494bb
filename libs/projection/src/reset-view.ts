import { type AnyDatabase } from '@sciencediscovery/db'
import { type EventStore } from '@sciencediscovery/event-store'
import { type QueryExecutorProvider, sql } from 'kysely'
import { type Checkpoint, lockCheckpoints, setCheckpoint } from './checkpoint-rows.js'
import { type ViewTables } from './view.js'

/** A view with where it lives and what it reads. */
export interface ViewPlace {
  readonly view: ViewTables
  readonly database: AnyDatabase
  readonly store: Pick<EventStore, 'streamsOf' | 'identityOf'>
}

/**
 * Empties the view and sets its checkpoints to 0, unless `stillNeeded` says under the lock that another
 * reader did so already. The rows come back as the streams are read again.
 */
export async function resetView(
  { view, database, store }: ViewPlace,
  stillNeeded: (checkpoints: ReadonlyMap<string, Checkpoint>) => boolean,
): Promise<boolean> {
  const identities = await identitiesOf(store, view.noun)
  return database.untyped.transaction().execute(async (tx) => {
    if (!stillNeeded(await lockCheckpoints(tx, view.name))) return false
    await emptyTables(tx, view)
    for (const [stream, identity] of identities) {
      await setCheckpoint(tx, { view: view.name, stream }, { identity, sequence: 0 })
    }
    return true
  })
}

/** Deletes every row, last table first. Not `truncate`: readers keep seeing the old rows until the commit. */
export async function emptyTables(tx: QueryExecutorProvider, view: ViewTables): Promise<void> {
  for (const table of view.tables.toReversed())
    await sql`delete from ${sql.table(table)}`.execute(tx)
}

/** The identity of each stream of the noun. */
export async function identitiesOf(
  store: Pick<EventStore, 'streamsOf' | 'identityOf'>,
  noun: string,
): Promise<ReadonlyMap<string, string>> {
  const streams = store.streamsOf(noun)
  const pairs = streams.map(async (stream) => [stream, await store.identityOf(stream)] as const)
  return new Map(await Promise.all(pairs))
}
