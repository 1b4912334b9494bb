/** Where the event that states a fact is: `runs/<id>` and the like, 1-based. */
export interface EventPlace {
  readonly stream: string
  readonly position: number
}

/** One change of one path, as a stream states it. */
export interface FileChangeFact {
  readonly revisionId: string
  readonly effectId: string
  readonly workspaceId: string
  readonly path: string
  readonly change: 'created' | 'modified' | 'deleted'
  readonly sha256: string | null
  readonly previousSha256: string | null
  readonly origin: string
  readonly callId: string
  readonly runId: string
  readonly executionId: string
  readonly at: string
  /** Place among the changes of its workspace; null while that stream was not read so far. */
  readonly order: number | null
  readonly event: EventPlace
}

/** One content of a file. `unknown` origins have no event: nobody recorded how it came to be. */
export interface Revision {
  readonly id: string
  readonly workspaceId: string
  readonly path: string
  readonly sha256: string
  readonly origin: string
  readonly callId: string
  readonly runId: string
  readonly executionId: string
  readonly effectId: string
  readonly parentRevisionId: string | null
  readonly previousSha256: string | null
  readonly at: string
  readonly event: EventPlace | null
}

/** All contents of one path of one workspace, oldest first. */
export interface FileHistory {
  readonly revisions: readonly Revision[]
  /** True when the last change took the file away. */
  readonly deleted: boolean
}

/**
 * The history behind the changes of one path, whatever order they were read in. Where a change names a content
 * before it that no change left there, that content is a revision of unknown origin.
 */
export function historyOf(facts: readonly FileChangeFact[]): FileHistory {
  const ordered = [...facts].sort(byOrder)
  const revisions: Revision[] = []
  for (const fact of ordered) {
    const gap = unrecorded(fact, revisions.at(-1))
    if (gap) revisions.push(gap)
    if (fact.sha256 === null) continue
    revisions.push(toRevision(fact, fact.sha256, revisions.at(-1)?.id ?? null))
  }
  return { revisions, deleted: ordered.at(-1)?.change === 'deleted' }
}

/** The revision that held this content at a time; the oldest one that held it when the times do not tell. */
export function revisionWith(
  { revisions }: FileHistory,
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

function unrecorded(fact: FileChangeFact, before: Revision | undefined): Revision | undefined {
  const { previousSha256 } = fact
  if (previousSha256 === null || previousSha256 === before?.sha256) return undefined
  return {
    id: `${fact.revisionId}-before`,
    workspaceId: fact.workspaceId,
    path: fact.path,
    sha256: previousSha256,
    origin: 'unknown',
    callId: '',
    runId: '',
    executionId: '',
    effectId: '',
    parentRevisionId: before?.id ?? null,
    previousSha256: before?.sha256 ?? null,
    at: fact.at,
    event: null,
  }
}

function toRevision(fact: FileChangeFact, sha256: string, parentId: string | null): Revision {
  const { revisionId, workspaceId, path, origin, callId, runId, executionId } = fact
  const { effectId, previousSha256, at, event } = fact
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
    parentRevisionId: parentId,
    previousSha256,
    at,
    event,
  }
}
