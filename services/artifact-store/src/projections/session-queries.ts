import { type Kysely } from 'kysely'
import { type ArtifactStoreTables } from '../db/schema.js'
import { sessionOfMainAgent } from '../domain/provenance/places.js'

type Db = Kysely<ArtifactStoreTables>

/** The sessions of agents; an agent that never ran can only be the main agent of its session. */
export async function sessionsOfAgents(
  db: Db,
  agentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map(agentIds.map((agentId) => [agentId, sessionOfMainAgent(agentId)]))
  if (agentIds.length === 0) return found
  const rows = await db
    .selectFrom('provenance_runs')
    .select(['agent_id', 'session_id'])
    .distinct()
    .where('agent_id', 'in', agentIds)
    .execute()
  for (const row of rows) found.set(row.agent_id, row.session_id)
  return found
}

/** When sessions were first heard of: by a run of theirs, or by a file of their main agent. */
export async function firstSeen(
  db: Db,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  if (sessionIds.length === 0) return found
  const note = (sessionId: string, at: string): void => {
    const before = found.get(sessionId)
    if (before === undefined || Date.parse(at) < Date.parse(before)) found.set(sessionId, at)
  }
  const runs = await db
    .selectFrom('provenance_runs')
    .select(['session_id', (eb) => eb.fn.min('started_at').as('at')])
    .where('session_id', 'in', sessionIds)
    .groupBy('session_id')
    .execute()
  for (const row of runs) note(row.session_id, row.at)
  const byAgent = new Map(sessionIds.map((id) => [`a-${id.slice('s-'.length)}`, id]))
  const uploads = await db
    .selectFrom('workspace_file_changes')
    .select(['agent_id', (eb) => eb.fn.min('at').as('at')])
    .where('agent_id', 'in', [...byAgent.keys()])
    .groupBy('agent_id')
    .execute()
  for (const row of uploads) note(byAgent.get(row.agent_id) ?? '', row.at)
  return found
}
