import { type Revision } from './history.js'
import { type JudgedInput } from './judge-input.js'

/**
 * Why a chain cannot go on: `unknown_origin`, nothing recorded how a content came there; `list_lost`, the list that
 * would tell is not in the blob store any more; `view_behind`, a view has not read everything so far;
 * `session_deleted`, the session whose file it was is gone and nothing else tells.
 */
export type BreakReason = 'unknown_origin' | 'list_lost' | 'view_behind' | 'session_deleted'

/** One place where a chain cannot go on. */
export interface Break {
  readonly reason: BreakReason
  /** The content that leads nowhere; empty when it is no single one. */
  readonly path: string
  readonly sha256: string
  /** The call whose inputs are in question; empty when it is the file itself. */
  readonly callId: string
}

/** The break at a content; undefined when it leads further back or to a recorded beginning. */
export function breakAt(
  content: Pick<JudgedInput, 'path' | 'sha256'>,
  revision: Revision | undefined,
  callId: string,
  {
    isListLost,
    isSessionDeleted,
  }: {
    readonly isListLost: boolean
    readonly isSessionDeleted: boolean
  },
): Break | undefined {
  if (revision !== undefined && revision.origin !== 'unknown') return undefined
  const { path, sha256 } = content
  const reason = isListLost ? 'list_lost' : isSessionDeleted ? 'session_deleted' : 'unknown_origin'
  return { reason, path, sha256, callId }
}

const words: Readonly<Record<BreakReason, string>> = {
  unknown_origin: 'nothing recorded how a content came there',
  list_lost: 'a list of inputs or changes is lost',
  view_behind: 'a view has not read everything so far',
  session_deleted: 'the session is deleted and nothing else tells',
}

/** The first reason in words; empty when the chain is whole. */
export function reasonOf(breaks: readonly Break[]): string {
  const [first] = breaks
  return first ? words[first.reason] : ''
}
