import {
  type ExecutionCompleted,
  type ExecutionInput,
  type WorkspaceChanged,
} from '@sciencediscovery/run-events'
import { type z } from 'zod'
import { type Asker, type ExecutionQueuedSchema, type StoredOutput } from './events.js'

type Changes = WorkspaceChanged['data']['changes']
type Queued = z.infer<typeof ExecutionQueuedSchema>['data']

/** A stored tree and how it differs from the one before. */
export interface SnapshotOutcome {
  readonly baseTree: string | null
  readonly tree: string
  readonly files: number
  readonly sizeBytes: number
  readonly created: number
  readonly modified: number
  readonly deleted: number
  readonly changes: Changes
}

/** Asks for an owner when there is none. */
export interface RequestPlacement {
  readonly type: 'RequestPlacement'
  readonly pool: string
  readonly at: string
}

/** Takes the workspace; `drift` is what changed on disk behind the platform's back. */
export interface ClaimWorkspace {
  readonly type: 'ClaimWorkspace'
  readonly workspaceId: string
  readonly pool: string
  readonly placement: number
  readonly replicaId: string
  readonly address: string
  readonly drift: SnapshotOutcome | undefined
  /** The tree that was restored, or that `drift` starts from. */
  readonly restoredTree: string | null
  readonly at: string
}

/** Gives the workspace back when nothing waits or runs in it. */
export interface ReleaseWorkspace {
  readonly type: 'ReleaseWorkspace'
  readonly epoch: number
  readonly at: string
}

/** Queues an execution; with an epoch, the owner starts it at once when nothing is before it. */
export interface QueueExecution {
  readonly type: 'QueueExecution'
  readonly pool: string
  readonly executionId: string
  readonly asker: Asker
  readonly command: Queued['command']
  readonly order: Queued['order']
  readonly startUnder: number | undefined
  readonly at: string
}

/** The owner starts the first execution of the queue. */
export interface StartExecution {
  readonly type: 'StartExecution'
  readonly executionId: string
  readonly epoch: number
  readonly at: string
}

/** Wants an execution to end, whether or not it exists yet. */
export interface CancelExecution {
  readonly type: 'CancelExecution'
  readonly workspaceId: string
  readonly pool: string
  readonly executionId: string
  readonly reason: 'cancelled' | 'timed_out'
  readonly at: string
}

/** A part of the output of a running execution was stored. */
export interface RecordOutput {
  readonly type: 'RecordOutput'
  readonly executionId: string
  readonly epoch: number
  readonly output: StoredOutput
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly at: string
}

/** The process tree is gone and the snapshot stored: the one outcome. */
export interface FinishExecution {
  readonly type: 'FinishExecution'
  readonly workspaceId: string
  readonly pool: string
  readonly executionId: string
  readonly epoch: number
  readonly exitCode: number | null
  /** Why it did not complete, as far as the process tells; empty for exit code 0. */
  readonly reason: string
  /** The reason in words, when there is more to say. */
  readonly explanation: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly output: StoredOutput
  readonly inputs: { readonly items: ExecutionInput[] } | ExecutionInputsBlob
  /** Further possible inputs: what is in the tree and not among the inputs. */
  readonly possibleInputs: ExecutionCompleted['data']['possibleInputs']
  /** What is in the workspace since the last snapshot and cannot be in one. */
  readonly skipped: ExecutionCompleted['data']['skipped']
  readonly environment: { readonly id: string; readonly revision: string }
  readonly snapshot: SnapshotOutcome
  readonly at: string
}

interface ExecutionInputsBlob {
  readonly blob: Extract<Changes, { blob: unknown }>['blob']
}

/** A file was written and the snapshot stored. */
export interface CommitFile {
  readonly type: 'CommitFile'
  readonly workspaceId: string
  readonly pool: string
  readonly epoch: number
  readonly effectKey: string
  readonly requestDigest: string
  readonly callId: string
  /** Set when nobody waits for the answer: the fact comes to the run from this stream. */
  readonly runId?: string | undefined
  readonly origin: string
  readonly path: string
  readonly sha256: string
  readonly sizeBytes: number
  readonly mediaType: string
  readonly replacements: number
  readonly snapshot: SnapshotOutcome
  readonly at: string
}

export type WorkspaceCommand =
  | RequestPlacement
  | ClaimWorkspace
  | ReleaseWorkspace
  | QueueExecution
  | StartExecution
  | CancelExecution
  | RecordOutput
  | FinishExecution
  | CommitFile
