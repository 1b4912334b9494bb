import { isMovedAway, type Life, lifeAfter, unrecordedBefore } from './lives.js'
import { type FileChangeFact, type Revision } from './revision.js'

export { type EventPlace, type FileChangeFact, type Revision } from './revision.js'

/** All contents of one path of one workspace, oldest first. */
export interface FileHistory {
  readonly revisions: readonly Revision[]
  /** True when the last change took the file away. */
  readonly deleted: boolean
  /** Where it went, when the last change moved it. */
  readonly movedTo: string | null
  /** When the path stopped holding a revision, by its id; the one that it still holds is not among them. */
  readonly endedAt: ReadonlyMap<string, string>
  /** Which revision an effect moved away, by the effect's id. */
  readonly movedBy: ReadonlyMap<string, string>
}

/**
 * The history behind the changes of one path, whatever order they were read in. Where a change names a content
 * before it that no change left there, that content is a revision of unknown origin. A path may hold several files
 * one after the other: what is moved in, and what is made after a file was moved away, begins another one. A file
 * that was deleted and made again at the same path is the same file.
 */
export function historyOf(facts: readonly FileChangeFact[]): FileHistory {
  const ordered = [...facts].sort(byOrder)
  const told: Told = { revisions: [], endedAt: new Map(), movedBy: new Map() }
  let life: Life | undefined
  for (const fact of ordered) life = tell(told, lifeAfter(life, fact), fact)
  const last = ordered.at(-1)
  return { ...told, deleted: last?.change === 'deleted', movedTo: last?.movedTo ?? null }
}

interface Told {
  readonly revisions: Revision[]
  readonly endedAt: Map<string, string>
  readonly movedBy: Map<string, string>
}

/** Adds what a change tells; gives the life as it is after it. */
function tell(told: Told, life: Life, fact: FileChangeFact): Life {
  const { revisions } = told
  const before = life.empty ? undefined : revisions.at(-1)
  const gap = unrecordedBefore(fact, before, life)
  if (gap) revisions.push(gap)
  endLast(told, fact)
  if (fact.sha256 !== null) revisions.push(toRevision(fact, fact.sha256, revisions.at(-1), life))
  const empty = life.empty && gap === undefined && fact.sha256 === null
  return { ...life, empty, over: isMovedAway(fact) }
}

/** Whatever was there before a change is not there after it. */
function endLast({ revisions, endedAt, movedBy }: Told, fact: FileChangeFact): void {
  const last = revisions.at(-1)
  if (!last) return
  if (!endedAt.has(last.id)) endedAt.set(last.id, fact.at)
  if (isMovedAway(fact)) movedBy.set(fact.effectId, last.id)
}

/** What the path held right before the effect that moved it away, with what led to it; none when that is not known. */
export function historyBefore(facts: readonly FileChangeFact[], effectId: string): FileHistory {
  const ordered = [...facts].sort(byOrder)
  const place = ordered.findIndex((fact) => fact.effectId === effectId)
  return historyOf(ordered.slice(0, place + 1))
}

/** The revisions of the file that a revision belongs to, up to that one, as far as its path tells. */
export function lifeUpTo({ revisions }: FileHistory, revision: Revision): readonly Revision[] {
  const end = revisions.findIndex(({ id }) => id === revision.id)
  return revisions.slice(0, end + 1).filter(({ birth }) => birth.key === revision.birth.key)
}

/** The revision that held this content at a time; the oldest one that held it when the times do not tell. */
export function revisionWith(
  { revisions }: Pick<FileHistory, 'revisions'>,
  sha256: string,
  notAfter: string,
): Revision | undefined {
  const holding = revisions.filter((revision) => revision.sha256 === sha256)
  const limit = Date.parse(notAfter)
  return holding.findLast(({ at }) => Date.parse(at) <= limit) ?? holding[0]
}

/** The workspace's own order; what its stream does not tell yet comes after, by time. */
function byOrder(one: FileChangeFact, other: FileChangeFact): number {
  const places = (one.order ?? Infinity) - (other.order ?? Infinity)
  if (places !== 0 && !Number.isNaN(places)) return places
  const times = Date.parse(one.at) - Date.parse(other.at)
  if (times !== 0 && !Number.isNaN(times)) return times
  return one.effectId < other.effectId ? -1 : 1
}

function toRevision(
  fact: FileChangeFact,
  sha256: string,
  replaced: Revision | undefined,
  { birth }: Life,
): Revision {
  const parentRevisionId = replaced?.birth.key === birth.key ? replaced.id : null
  const { revisionId, workspaceId, path, origin, callId, runId, executionId } = fact
  const { effectId, previousSha256, movedFrom, at, event } = fact
  return {
    id: revisionId,
    workspaceId,
    path,
    sha256,
    origin,
    callId,
    runId,
    executionId,
    effectId,
    parentRevisionId,
    previousSha256,
    movedFrom,
    birth,
    at,
    event,
  }
}
