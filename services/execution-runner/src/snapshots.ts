import { type FinishExecution, type SnapshotOutcome } from './domain/workspace/commands.js'
import { type FileListing } from './workspace-files.js'

/** What the last snapshot holds at a path, or why it cannot be given. */
export type CommittedEntry =
  | { readonly path: string; readonly digest: string; readonly sizeBytes: number }
  | { readonly path: string; readonly error: string }

/** A snapshot, and what was read since the one before. */
export interface ObservedSnapshot {
  readonly snapshot: SnapshotOutcome
  readonly inputs: FinishExecution['inputs']
  readonly possibleInputs: FinishExecution['possibleInputs']
  readonly skipped: FinishExecution['skipped']
}

/** Which part of a listing. */
export interface ListOptions {
  readonly recursive: boolean
  readonly limit: number
  /** Entries behind this path only; empty for the first. */
  readonly after: string
}

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
  /** What the last snapshot holds at each path; an error where the disk differs from it. */
  committed(
    paths: readonly string[],
    options?: {
      /** Whatever the disk has by now. */
      readonly asCommitted: boolean
    },
  ): Promise<readonly CommittedEntry[]>
  /** All files below a directory, or its own entries; as they are now, links left out. */
  list(path: string, options: ListOptions): Promise<FileListing>
  /** Bytes on disk, as they are now; may be asked while others write. */
  sizeBytes(): Promise<number>
}

/** Makes directories of snapshots and back. */
export interface SnapshotStore extends AsyncDisposable {
  /** Fills an empty directory with the tree. */
  restore(target: RestoreTarget): Promise<WorkspaceSnapshots>
  /** Takes a directory that was left behind, to be compared with the tree by the first `take`. */
  adopt(target: RestoreTarget): Promise<WorkspaceSnapshots>
  /** The tree as a tar archive; contents are read as the receiver takes them. */
  archive(target: ArchiveTarget): AsyncIterable<Uint8Array>
}

/** Which snapshot is wanted as an archive. */
export interface ArchiveTarget {
  readonly tree: string | null
  /** Snapshots hold no times: every entry gets this one. */
  readonly at: Date
  readonly signal: AbortSignal
}

export interface RestoreTarget {
  readonly workspaceId: string
  readonly pool: string
  readonly directory: string
  readonly tree: string | null
  /** Who owns the files on the host. */
  readonly uid: number | undefined
}
