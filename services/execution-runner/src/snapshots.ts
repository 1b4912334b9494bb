import { type ExecutionInput } from '@sciencediscovery/run-events'
import { type SnapshotOutcome } from './domain/workspace/commands.js'
import { type FinishExecution } from './domain/workspace/commands.js'

/** What the last snapshot of a workspace holds at a path. */
export interface CommittedEntry {
  readonly digest: string
  readonly sizeBytes: number
  readonly mode: number
}

/** A snapshot, and what was read since the one before. */
export interface ObservedSnapshot {
  readonly snapshot: SnapshotOutcome
  readonly inputs: FinishExecution['inputs']
}

export type Inputs = { readonly items: readonly ExecutionInput[] }

/** The snapshots of one workspace on this disk. One caller at a time. */
export interface WorkspaceSnapshots extends AsyncDisposable {
  /** Tree of the last snapshot. */
  readonly tree: string | null
  /** Stores what differs from the last snapshot and gives the next one. */
  take(): Promise<SnapshotOutcome>
  /** The same, looking at these paths only: the caller knows that nothing else was written. */
  takePaths(paths: readonly string[]): Promise<SnapshotOutcome>
  /** The same, with what was read in between. */
  observe(declaredInputs: readonly string[]): Promise<ObservedSnapshot>
  /** Bytes on disk, as they are now; may be asked while others write. */
  sizeBytes(): Promise<number>
}

/** Makes directories of snapshots and back. */
export interface SnapshotStore extends AsyncDisposable {
  /** Fills an empty directory with the tree. */
  restore(target: RestoreTarget): Promise<WorkspaceSnapshots>
  /** Takes a directory that was left behind, to be compared with the tree by the first `take`. */
  adopt(target: RestoreTarget): Promise<WorkspaceSnapshots>
}

export interface RestoreTarget {
  readonly workspaceId: string
  readonly pool: string
  readonly directory: string
  readonly tree: string | null
  /** Who owns the files on the host. */
  readonly uid: number | undefined
}
