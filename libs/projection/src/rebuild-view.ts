import { type Database } from '@sciencediscovery/db'
import { type EventStore, type StoredCommit } from '@sciencediscovery/event-store'
import { sql, type Transaction } from 'kysely'
import { lockCheckpoints, setCheckpoint } from './checkpoint-rows.js'
import { emptyTables, identitiesOf } from './reset-view.js'
import { type View } from './view.js'

/** What to rebuild and from where. */
export interface RebuildOptions<Schema> {
  readonly view: View<Schema>
  readonly database: Database<Schema>
  readonly store: EventStore
  readonly signal?: AbortSignal
}

const batch = 500

/**
 * Computes the view anew from its streams in one transaction: readers see the old rows until the new
 * ones are complete, and a reader that runs meanwhile waits. Returns how many commits were read.
 */
export async function rebuildView<Schema>(options: RebuildOptions<Schema>): Promise<number> {
  const { view, database, store } = options
  const identities = await identitiesOf(store, view.noun)
  return database.db.transaction().execute(async (tx) => {
    // A rebuild takes longer than a statement of a request, and waits for the bus in between.
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    await lockCheckpoints(tx, view.name)
    await emptyTables(tx, view)
    let commits = 0
    for (const [stream, identity] of identities) {
      const { count, sequence } = await applyStream(options, tx, stream)
      await setCheckpoint(tx, { view: view.name, stream }, { identity, sequence })
      commits += count
    }
    return commits
  })
}

async function applyStream<Schema>(
  { view, store, signal }: RebuildOptions<Schema>,
  tx: Transaction<Schema>,
  stream: string,
): Promise<{ readonly count: number; readonly sequence: number }> {
  const last = await store.lastSequence(stream, signal)
  let count = 0
  for await (const stored of commitsUpTo(store, stream, last, signal)) {
    await view.apply(tx, stored)
    count++
  }
  return { count, sequence: last }
}

/** A stream's commits up to the sequence; a stream that is followed never ends by itself. */
async function* commitsUpTo(
  store: EventStore,
  stream: string,
  last: number,
  signal?: AbortSignal,
): AsyncGenerator<StoredCommit> {
  if (last === 0) return
  const done = new AbortController()
  const either = signal === undefined ? done.signal : AbortSignal.any([done.signal, signal])
  try {
    for await (const commits of store.followStream(stream, 0, { batch, signal: either })) {
      yield* commits.filter(({ sequence }) => sequence <= last)
      if ((commits.at(-1)?.sequence ?? 0) >= last) return
    }
    signal?.throwIfAborted()
  } finally {
    done.abort()
  }
}
