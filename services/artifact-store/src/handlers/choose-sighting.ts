import { type Kysely } from 'kysely'
import { type ArtifactStoreTables } from '../db/schema.js'
import { sessionOfMainAgent } from '../domain/provenance/places.js'
import { type PathSighting } from '../projections/provenance-queries.js'
import { firstSeen, sessionsOfAgents } from '../projections/session-queries.js'

/** A workspace with the session it serves. */
export interface Sighting {
  readonly workspaceId: string
  readonly agentId: string
  readonly sessionId: string
}

/**
 * The workspace that a path without one means: of the session asked for, else of the newest session that has
 * the path; there the main agent's before a child's, and the one that was changed last before others.
 */
export async function chooseSighting(
  db: Kysely<ArtifactStoreTables>,
  sightings: readonly PathSighting[],
  asked: { readonly sessionId: string; readonly agentId: string },
): Promise<Sighting | undefined> {
  const sessions = await sessionsOfAgents(db, [...new Set(sightings.map(({ agentId }) => agentId))])
  const candidates = sightings
    .map((sighting) => ({ ...sighting, sessionId: sessions.get(sighting.agentId) ?? '' }))
    .filter(({ sessionId }) => asked.sessionId === '' || sessionId === asked.sessionId)
    .filter(({ agentId }) => asked.agentId === '' || agentId === asked.agentId)
  if (candidates.length === 0) return undefined
  const seen = await firstSeen(db, [...new Set(candidates.map(({ sessionId }) => sessionId))])
  const [best] = candidates.sort(
    (one, other) =>
      later(seen.get(one.sessionId), seen.get(other.sessionId)) ||
      Number(isMain(other)) - Number(isMain(one)) ||
      later(one.lastChangedAt, other.lastChangedAt),
  )
  return best && { workspaceId: best.workspaceId, agentId: best.agentId, sessionId: best.sessionId }
}

function later(one: string | undefined, other: string | undefined): number {
  return (Date.parse(other ?? '') || 0) - (Date.parse(one ?? '') || 0)
}

function isMain({ agentId, sessionId }: Sighting): boolean {
  return sessionOfMainAgent(agentId) === sessionId
}
