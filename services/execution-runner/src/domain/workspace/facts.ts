import { type WorkspaceChanged } from '@sciencediscovery/run-events'
import { type SnapshotOutcome } from './commands.js'
import { type WorkspaceEvent } from './events.js'

/** Where a change came from. */
interface Cause {
  readonly workspaceId: string
  readonly pool: string
  readonly effectId: string
  readonly callId: string
  /** Of a change that its call does not bring to the run itself. */
  readonly runId?: string | undefined
  readonly executionId: string
  readonly origin: string
  readonly at: string
}

/** The snapshot, and what it changed when it changed anything. */
export function snapshotFacts(
  snapshot: SnapshotOutcome,
  epoch: number,
  cause: Cause,
): { readonly committed: WorkspaceEvent; readonly changed: readonly WorkspaceEvent[] } {
  const { baseTree, tree, files, sizeBytes } = snapshot
  const committed: WorkspaceEvent = {
    type: 'snapshot.committed',
    v: 1,
    data: { epoch, baseTree, tree, files, sizeBytes, at: cause.at },
  }
  const differs = snapshot.created + snapshot.modified + snapshot.deleted > 0
  return { committed, changed: differs ? [changedFact(snapshot, cause)] : [] }
}

function changedFact(snapshot: SnapshotOutcome, cause: Cause): WorkspaceChanged {
  const { baseTree, tree, created, modified, deleted, changes } = snapshot
  const { workspaceId, pool, effectId, callId, runId, executionId, origin, at } = cause
  return {
    type: 'workspace.changed',
    v: 1,
    data: {
      ...{ effectId, callId, workspaceId, executionId, origin, at },
      ...(runId === undefined ? {} : { runId }),
      runnerId: pool,
      ...{ baseTree, tree, created, modified, deleted, changes },
    },
  }
}
