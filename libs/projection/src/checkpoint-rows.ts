import { type QueryExecutorProvider, sql } from 'kysely'

/** How far a view has read a stream, and which stream that was. */
export interface Checkpoint {
  readonly identity: string
  readonly sequence: number
}

/** Names one checkpoint. */
export interface CheckpointKey {
  readonly view: string
  readonly stream: string
}

/** The checkpoint, made at 0 when there is none. */
export async function ensureCheckpoint(
  db: QueryExecutorProvider,
  key: CheckpointKey,
  identity: string,
): Promise<Checkpoint> {
  const found = await readCheckpoint(db, key)
  if (found !== undefined) return found
  await sql`insert into view_checkpoints (view, stream, identity, sequence)
    values (${key.view}, ${key.stream}, ${identity}, 0) on conflict do nothing`.execute(db)
  return (await readCheckpoint(db, key)) ?? { identity, sequence: 0 }
}

/** The checkpoint as it is now. */
export async function readCheckpoint(
  db: QueryExecutorProvider,
  { view, stream }: CheckpointKey,
): Promise<Checkpoint | undefined> {
  const { rows } = await sql<Checkpoint>`select identity, sequence from view_checkpoints
    where view = ${view} and stream = ${stream}`.execute(db)
  return rows[0]
}

/** Every stream's sequence of one view. */
export async function readSequences(
  db: QueryExecutorProvider,
  view: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ stream: string; sequence: number }>`select stream, sequence
    from view_checkpoints where view = ${view}`.execute(db)
  return new Map(rows.map(({ stream, sequence }) => [stream, sequence]))
}

/**
 * Moves the checkpoint from where the reader saw it; false when somebody else moved it. The row stays
 * locked until the transaction ends, so a second reader waits here and is then refused.
 */
export async function moveCheckpoint(
  tx: QueryExecutorProvider,
  { view, stream }: CheckpointKey,
  from: Checkpoint,
  toSequence: number,
): Promise<boolean> {
  const { rows } = await sql`update view_checkpoints set sequence = ${toSequence}
    where view = ${view} and stream = ${stream} and sequence = ${from.sequence} and identity = ${from.identity}
    returning 1`.execute(tx)
  return rows.length === 1
}

/** Locks every checkpoint of the view: no reader moves one until the transaction ends. */
export async function lockCheckpoints(
  tx: QueryExecutorProvider,
  view: string,
): Promise<ReadonlyMap<string, Checkpoint>> {
  const { rows } = await sql<Checkpoint & { stream: string }>`select stream, identity, sequence
    from view_checkpoints where view = ${view} order by stream for update`.execute(tx)
  return new Map(rows.map(({ stream, identity, sequence }) => [stream, { identity, sequence }]))
}

/** Sets a checkpoint; only under `lockCheckpoints`. */
export async function setCheckpoint(
  tx: QueryExecutorProvider,
  { view, stream }: CheckpointKey,
  to: Checkpoint,
): Promise<void> {
  await sql`insert into view_checkpoints (view, stream, identity, sequence)
    values (${view}, ${stream}, ${to.identity}, ${to.sequence})
    on conflict (view, stream) do update set identity = excluded.identity, sequence = excluded.sequence`.execute(
    tx,
  )
}
