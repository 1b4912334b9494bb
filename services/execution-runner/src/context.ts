import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Aggregates, type EventStore, type WorkQueue } from '@sciencediscovery/event-store'
import { type Clock } from '@sciencediscovery/kernel'
import { type Logger } from '@sciencediscovery/service-kit'
import { type WorkspaceDirectories } from './directories.js'
import { type WorkspaceCommand } from './domain/workspace/commands.js'
import { type WorkspaceState } from './domain/workspace/state.js'
import { type OutputStore } from './output.js'
import { type ExecutionStarter, type OwnedWorkspaces } from './owned-workspaces.js'
import { type Peers } from './peers.js'
import { type Sandbox } from './sandbox.js'
import { type SnapshotStore } from './snapshots.js'
import { type WorkspaceFiles } from './workspace-files.js'

/** Which replica this is. */
export interface Here {
  readonly pool: string
  readonly replicaId: string
  /** Where other replicas reach this one; known once the server listens. */
  readonly address: () => string
  readonly clock: Clock
  readonly logger: Logger
}

/** What is on this machine. */
export interface Machine {
  readonly sandbox: Sandbox
  readonly directories: WorkspaceDirectories
  readonly snapshots: SnapshotStore
  readonly outputs: OutputStore
  readonly files: WorkspaceFiles
  readonly rootDirectory: string
}

/** Bounds of this replica. */
export interface Limits {
  /** Executions at once. */
  readonly slots: number
  /** Workspaces on this disk at once. */
  readonly workspaces: number
  /** Bytes of one workspace; 0 means no limit. */
  readonly workspaceBytes: number
  /** An owner without work gives the workspace back after this. */
  readonly idleReleaseMs: number
}

/** What handlers and reactors are given. */
export interface Context {
  readonly here: Here
  readonly limits: Limits
  readonly machine: Machine
  readonly workspaces: Aggregates<WorkspaceState, WorkspaceCommand>
  readonly store: EventStore
  readonly queue: WorkQueue
  readonly blobs: BlobStore
  readonly owned: OwnedWorkspaces
  readonly peers: Peers
}

/** What handlers are given. */
export interface HandlerContext extends Context {
  readonly starter: ExecutionStarter
}
