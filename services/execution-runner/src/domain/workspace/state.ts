import { type ExecutionCompleted, type WorkspaceChanged } from '@sciencediscovery/run-events'
import { type z } from 'zod'
import { type Asker, type FileCommitted, type StoredOutput } from './events.js'
import { type ExecutionQueuedSchema } from './events.js'
import { type Keyed, emptyKeyed } from './keyed.js'

/** Who works on the workspace. */
export type Ownership =
  | { readonly status: 'none' }
  | { readonly status: 'placing'; readonly placement: number }
  | {
      readonly status: 'owned'
      readonly placement: number
      readonly epoch: number
      readonly replicaId: string
      readonly address: string
    }

type Queued = z.infer<typeof ExecutionQueuedSchema>['data']

/** What is known of every execution from its first event on. */
interface Asked {
  readonly executionId: string
  readonly asker: Asker
  readonly command: Queued['command']
  readonly order: Queued['order']
  readonly queuedAt: string
  /** Set once somebody wants it to end. */
  readonly cancel: 'cancelled' | 'timed_out' | undefined
}

export interface QueuedExecution extends Asked {
  readonly status: 'queued'
}

export interface RunningExecution extends Asked {
  readonly status: 'running'
  readonly epoch: number
  readonly startedAt: string
  /** The part of a long output that is stored already. */
  readonly recorded?: StoredOutput
}

export interface EndedExecution extends Asked {
  readonly status: 'ended'
  /** Empty when it never started. */
  readonly startedAt: string
  readonly completed: ExecutionCompleted['data']
  /** undefined when the owner was lost, or it never started. */
  readonly output: StoredOutput | undefined
  /** undefined when it changed no file. */
  readonly changed: WorkspaceChanged['data'] | undefined
}

export type Execution = QueuedExecution | RunningExecution | EndedExecution

/** The committed files; `tree` is null before the first snapshot. */
export interface Snapshot {
  readonly tree: string | null
  readonly files: number
  readonly sizeBytes: number
}

/** A file effect that was done. */
export interface FileEffect {
  readonly file: FileCommitted['data']
  /** undefined when the file already had that content. */
  readonly changed: WorkspaceChanged['data'] | undefined
}

export interface WorkspaceState {
  readonly ownership: Ownership
  /** Highest epoch and highest placement so far. */
  readonly epoch: number
  readonly placement: number
  readonly snapshot: Snapshot
  /** Ids of executions that wait, first one first. */
  readonly queue: readonly string[]
  /** Id of the one execution that may write. */
  readonly running: string | undefined
  readonly executions: Keyed<Execution>
  /** Cancelled before they were asked for. */
  readonly tombstones: Keyed<string>
  readonly fileEffects: Keyed<FileEffect>
  /** Output of the execution whose `execution.completed` comes next in the same commit. */
  readonly exited: StoredOutput | undefined
}

export const initialWorkspace: WorkspaceState = {
  ownership: { status: 'none' },
  epoch: 0,
  placement: 0,
  snapshot: { tree: null, files: 0, sizeBytes: 0 },
  queue: [],
  running: undefined,
  executions: emptyKeyed(),
  tombstones: emptyKeyed(),
  fileEffects: emptyKeyed(),
  exited: undefined,
}
