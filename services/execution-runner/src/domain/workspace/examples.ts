import { type ClaimWorkspace, type CommitFile, type FinishExecution } from './commands.js'
import { type QueueExecution, type SnapshotOutcome } from './commands.js'
import { type WorkspaceEvent } from './events.js'

type EventOf<Type extends WorkspaceEvent['type']> = Extract<WorkspaceEvent, { type: Type }>

export const at = '2026-01-01T00:00:00.000Z'
export const workspaceId = 'w-local-0123456789abcdef-p1'
export const pool = 'local'
export const treeA = 'a'.repeat(64)
export const treeB = 'b'.repeat(64)
const digest = 'd'.repeat(64)
const asker = { sessionId: 's1', runId: 'r1', agentId: 'a1', callId: 'c1' }
const command = { digest, preview: 'true' }
const order = { json: {} }
export const output = { inline: { stdout: '', stderr: '' } }

export const placement = (epoch: number): EventOf<'placement.requested'> => ({
  type: 'placement.requested',
  v: 1,
  data: { epoch, pool, at },
})

export const claimed = (of: number, epoch: number): EventOf<'workspace.claimed'> => ({
  type: 'workspace.claimed',
  v: 1,
  data: { placement: of, epoch, replicaId: 'run_1', address: 'host:1', at },
})

export const released = (epoch: number): EventOf<'workspace.released'> => ({
  type: 'workspace.released',
  v: 1,
  data: { epoch, at },
})

export const queued = (executionId: string): EventOf<'execution.queued'> => ({
  type: 'execution.queued',
  v: 1,
  data: { executionId, asker, command, order, at },
})

export const started = (executionId: string, epoch: number): EventOf<'execution.started'> => ({
  type: 'execution.started',
  v: 1,
  data: { executionId, epoch, at },
})

export const cancelRequested = (
  executionId: string,
  reason: 'cancelled' | 'timed_out' = 'cancelled',
): EventOf<'execution.cancel.requested'> => ({
  type: 'execution.cancel.requested',
  v: 1,
  data: { executionId, reason, at },
})

export const exited = (executionId: string, epoch: number): EventOf<'execution.exited'> => ({
  type: 'execution.exited',
  v: 1,
  data: { executionId, epoch, output, at },
})

export const committed = (
  epoch: number,
  baseTree: string | null,
  tree: string,
): EventOf<'snapshot.committed'> => ({
  type: 'snapshot.committed',
  v: 1,
  data: { epoch, baseTree, tree, files: 1, sizeBytes: 3, at },
})

export const completed = (
  executionId: string,
  over: Partial<EventOf<'execution.completed'>['data']> = {},
): EventOf<'execution.completed'> => ({
  type: 'execution.completed',
  v: 1,
  data: {
    effectId: `${executionId}:completed`,
    callId: 'c1',
    workspaceId,
    executionId,
    runnerId: pool,
    state: 'completed',
    exitCode: 0,
    reason: '',
    command,
    environment: { id: '', revision: '' },
    startedAt: at,
    finishedAt: at,
    stdoutBytes: 0,
    stderrBytes: 0,
    inputs: { items: [] },
    ...over,
  },
})

export const changed = (
  over: Partial<EventOf<'workspace.changed'>['data']> = {},
): EventOf<'workspace.changed'> => ({
  type: 'workspace.changed',
  v: 1,
  data: {
    effectId: 'e1:changed',
    callId: 'c1',
    workspaceId,
    runnerId: pool,
    executionId: 'e1',
    origin: 'tool',
    baseTree: null,
    tree: treeA,
    created: 1,
    modified: 0,
    deleted: 0,
    changes: { items: [] },
    at,
    ...over,
  },
})

export const fileCommitted = (effectKey: string): EventOf<'file.committed'> => ({
  type: 'file.committed',
  v: 1,
  data: {
    effectKey,
    requestDigest: digest,
    path: 'a.txt',
    sha256: digest,
    sizeBytes: 3,
    mediaType: 'text/plain',
    replacements: 0,
    at,
  },
})

export const toTree = (baseTree: string | null, tree: string, created = 1): SnapshotOutcome => ({
  ...{ baseTree, tree, created, files: 1, sizeBytes: 3, modified: 0, deleted: 0 },
  changes: { items: [] },
})

export const claim = (of: number, over: Partial<ClaimWorkspace> = {}): ClaimWorkspace => ({
  type: 'ClaimWorkspace',
  ...{ workspaceId, pool, at, placement: of, drift: undefined, restoredTree: null },
  replicaId: 'run_1',
  address: 'host:1',
  ...over,
})

export const queue = (executionId: string, over: Partial<QueueExecution> = {}): QueueExecution => ({
  type: 'QueueExecution',
  ...{ pool, executionId, asker, command, order, at },
  startUnder: undefined,
  ...over,
})

export const finish = (
  executionId: string,
  epoch: number,
  over: Partial<FinishExecution> = {},
): FinishExecution => ({
  type: 'FinishExecution',
  ...{ workspaceId, pool, executionId, epoch, at, output },
  exitCode: 0,
  ...{ reason: '', explanation: '', possibleInputs: undefined, skipped: undefined },
  stdoutBytes: 0,
  stderrBytes: 0,
  inputs: { items: [] },
  environment: { id: '', revision: '' },
  snapshot: toTree(null, treeA, 0),
  ...over,
})

export const commitFile = (
  effectKey: string,
  epoch: number,
  over: Partial<CommitFile> = {},
): CommitFile => ({
  type: 'CommitFile',
  ...{ workspaceId, pool, epoch, effectKey, at },
  requestDigest: digest,
  callId: 'c1',
  origin: 'agent',
  path: 'a.txt',
  sha256: digest,
  sizeBytes: 3,
  mediaType: 'text/plain',
  replacements: 0,
  snapshot: toTree(null, treeA),
  ...over,
})
