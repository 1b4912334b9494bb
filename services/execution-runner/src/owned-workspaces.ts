import { type WorkspaceDirectory } from './directories.js'
import { type OutputRecorder } from './output.js'
import { type Pulse } from './pulse.js'
import { type Turn, type WriterLock } from './reactors/writer-lock.js'
import { type SandboxCell } from './sandbox.js'
import { type WorkspaceSnapshots } from './snapshots.js'

/** An execution whose process tree lives here. */
export interface LiveExecution {
  readonly executionId: string
  readonly recorder: OutputRecorder
  /** Ends the process tree; the reason is kept when nothing else explains the end. */
  kill(reason?: string): void
}

/** A workspace that this replica owns. */
export interface OwnedWorkspace {
  readonly workspaceId: string
  readonly epoch: number
  readonly directory: WorkspaceDirectory
  readonly snapshots: WorkspaceSnapshots
  readonly lock: WriterLock
  /** Beats whenever an execution ended or was queued. */
  readonly pulse: Pulse
  /** Aborts when the claim is over: nothing may be done for this workspace any more. */
  readonly over: AbortSignal
  readonly live: LiveExecution | undefined
  setLive(live: LiveExecution | undefined): void
  /** The sandbox of the workspace, made when it is first needed. */
  cell(): Promise<SandboxCell>
  /** Keeps the workspace from being released until disposed; the idle time starts anew then. */
  hold(): Disposable
  /** Gives the claim up at once, without a word to anybody: another replica takes over. */
  abandon(reason: unknown): void
}

/** What this replica owns. */
export interface OwnedWorkspaces {
  find(workspaceId: string): OwnedWorkspace | undefined
  readonly count: number
}

/** Starts executions of owned workspaces. */
export interface ExecutionStarter {
  /** The right to start at once, when the workspace and a slot are free. */
  tryTurn(owned: OwnedWorkspace, executionId: string): Turn | undefined
  /** Runs an execution whose start is committed; gives the turn back when it ended. */
  runStarted(owned: OwnedWorkspace, executionId: string, turn: Turn): void
  /** Works the queue off. */
  run(owned: OwnedWorkspace): void
}
