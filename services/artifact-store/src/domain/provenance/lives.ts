import { type Birth, type FileChangeFact, type Revision } from './revision.js'

/** The file that is at a path at a time. */
export interface Life {
  readonly birth: Birth
  /** It has no revision so far. */
  readonly empty: boolean
  /** It was moved away. */
  readonly over: boolean
}

/** The life that a change belongs to: the one before it, or one that begins. */
export function lifeAfter(before: Life | undefined, fact: FileChangeFact): Life {
  if (fact.movedFrom !== null) return bornBy(moved(fact, fact.movedFrom))
  if (before?.over === true) return bornBy(successor(fact))
  return before ?? bornBy({ kind: 'path', key: 'path' })
}

/** True when the file went to another path: what comes to its place is another file. */
export function isMovedAway(fact: FileChangeFact): boolean {
  return fact.movedTo !== null
}

/** The content that a change replaced and that no change had left there. */
export function unrecordedBefore(
  fact: FileChangeFact,
  before: Revision | undefined,
  { birth }: Life,
): Revision | undefined {
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
    movedFrom: null,
    birth,
    at: fact.at,
    event: null,
  }
}

function bornBy(birth: Birth): Life {
  return { birth, empty: true, over: false }
}

function moved({ effectId, revisionId }: FileChangeFact, fromPath: string): Birth {
  return { kind: 'moved', key: revisionId, fromPath, effectId }
}

function successor({ revisionId }: FileChangeFact): Birth {
  return { kind: 'successor', key: revisionId, revisionId }
}
