import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Aggregates, type EventStore } from '@sciencediscovery/event-store'
import { type Clock } from '@sciencediscovery/kernel'
import {
  type Actor,
  type CommittedFile,
  type Conflict,
} from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type Effect as ToolEffect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { type ResolvedFile } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Logger } from '@sciencediscovery/service-kit'
import { type Kysely } from 'kysely'
import { type ArtifactStoreTables } from './db/schema.js'
import { type ArtifactCommand } from './domain/artifact/commands.js'
import { type ArtifactState } from './domain/artifact/decider.js'
import { type TransferCommand } from './domain/transfer/commands.js'
import { type TransferState } from './domain/transfer/state.js'

/** A session as its owner tells it. */
export interface SessionPlace {
  readonly sessionId: string
  readonly title: string
  readonly workspaceId: string
  /** Empty while it is in use. */
  readonly archivedAt: string
}

/** The owner of sessions. Throws `not_found` for a session that the project does not have. */
export interface SessionDirectory {
  find(projectId: string, sessionId: string, signal: AbortSignal): Promise<SessionPlace>
}

/** Puts stored content into a workspace. Keyed: asking twice does it once. */
export interface WorkspaceFiles {
  put(upload: UploadOrder, signal: AbortSignal): Promise<PutOutcome>
  /** What the last snapshot of a workspace has at each path, in the order asked for. */
  committed(
    look: { readonly actor: Actor; readonly workspaceId: string; readonly paths: string[] },
    signal: AbortSignal,
  ): Promise<readonly ResolvedFile[]>
}

/** The file that was put, and the facts of it. */
export interface PutOutcome {
  readonly file: CommittedFile
  readonly effects: readonly ToolEffect[]
}

/** What to put where. */
export interface UploadOrder {
  readonly effectKey: string
  readonly projectId: string
  readonly sessionId: string
  readonly workspaceId: string
  readonly path: string
  readonly digest: string
  readonly conflict: Conflict
  /** Set for content that an agent's call moves, not a person. */
  readonly transferFor?: Pick<Actor, 'runId' | 'agentId' | 'callId'>
}

/** How a view is doing. */
export interface ViewReport {
  readonly view: string
  /** Commits that it has not read so far. */
  readonly lag: number
  /** Why it does not go on; empty while it does. */
  readonly failure: string
}

/** The views of this service. */
export interface Views {
  /**
   * Waits until the view shows what a position token stands for; an empty token is no wish. A token of a stream
   * that the view does not read stands for all that was written before now. Throws `unavailable` after 2 s.
   */
  catchUp(view: ViewName, minPosition: string, signal: AbortSignal): Promise<void>
  /** Waits until the view shows all that is written by now; `unavailable` after 2 s. */
  catchUpWithAll(view: ViewName, signal: AbortSignal): Promise<void>
  report(): Promise<readonly ViewReport[]>
}

export type ViewName =
  'artifacts' | 'run_provenance' | 'provenance_uses' | 'workspace_provenance' | 'transfers'

/** Transfers, and the streams that they are read from. */
export interface Transfers extends Aggregates<TransferState, TransferCommand> {
  readonly store: EventStore
}

/** What handlers are given. */
export interface Context {
  readonly artifacts: Aggregates<ArtifactState, ArtifactCommand>
  readonly transfers: Transfers
  /** The token of a commit on the artifacts' stream. */
  readonly positionOf: (sequence: number) => string
  readonly db: Kysely<ArtifactStoreTables>
  readonly blobs: BlobStore
  readonly views: Views
  readonly sessions: SessionDirectory
  readonly files: WorkspaceFiles
  readonly maxUploadBytes: number
  /** This replica: its id, its time, its log. */
  readonly here: { readonly replicaId: string; readonly clock: Clock; readonly logger: Logger }
}
