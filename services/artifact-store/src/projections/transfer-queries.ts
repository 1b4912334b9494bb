import { type Kysely, sql } from 'kysely'
import { type ArtifactStoreTables, type TransferCopiesTable } from '../db/schema.js'

type Db = Kysely<ArtifactStoreTables>

/** A place in the list of an agent's transfers. */
export interface TransferPlace {
  readonly queued_at: string
  readonly transfer_id: string
}

/** The transfers that an agent asked for, newest first. */
export function transfersOfAgent(
  db: Db,
  agent: { readonly projectId: string; readonly agentId: string },
  page: { readonly before: TransferPlace | undefined; readonly limit: number },
): Promise<readonly TransferPlace[]> {
  const { before, limit } = page
  return db
    .selectFrom('transfers')
    .select(['queued_at', 'transfer_id'])
    .where('project_id', '=', agent.projectId)
    .where('agent_id', '=', agent.agentId)
    .$if(before !== undefined, (query) =>
      query.where(
        sql<boolean>`(queued_at, transfer_id) < (${before?.queued_at ?? ''}, ${before?.transfer_id ?? ''})`,
      ),
    )
    .orderBy('queued_at', 'desc')
    .orderBy('transfer_id', 'desc')
    .limit(limit)
    .execute()
}

/** Of these revisions, those that are copies, by the revision. */
export async function copiesByRevision(
  db: Db,
  revisionIds: readonly string[],
): Promise<ReadonlyMap<string, TransferCopiesTable>> {
  if (revisionIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('transfer_copies')
    .selectAll()
    .where('revision_id', 'in', [...revisionIds])
    .execute()
  return new Map(rows.map((row) => [row.revision_id, row] as const))
}
