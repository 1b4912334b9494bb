import { type CheckpointTables } from '@sciencediscovery/db'

/** A named result of a project; view `artifacts`. */
export interface ArtifactsTable {
  readonly artifact_id: string
  readonly project_id: string
  readonly name: string
  readonly kind: string
  readonly origin: string
  readonly created_session_id: string
  readonly created_session_title: string
  readonly newest_version: number
}

/** One version; view `artifacts`. */
export interface ArtifactVersionsTable {
  readonly version_id: string
  readonly artifact_id: string
  readonly version: number
  readonly sha256: string
  readonly size_bytes: number
  readonly media_type: string
  readonly source_path: string
  /** The file that the path names in its workspace. */
  readonly source_file_id: string
  readonly origin: string
  readonly description: string
  readonly workspace_id: string
  readonly session_id: string
  readonly run_id: string
  readonly call_id: string
  readonly agent_id: string
  readonly declared_at: string
  /** 1-based, within the artifact's stream. */
  readonly position: number
}

/** Runs and who they work for; view `run_provenance`. */
export interface ProvenanceRunsTable {
  readonly run_id: string
  readonly project_id: string
  readonly session_id: string
  readonly agent_id: string
  readonly started_at: string
}

/** Calls of a run; view `run_provenance`. */
export interface ProvenanceCallsTable {
  readonly run_id: string
  readonly call_id: string
  readonly name: string
  /** Open, completed, error, failed or superseded. */
  readonly outcome: string
  /** Of the first event of the call, within the run. */
  readonly position: number
}

/** Where the event that states a fact is. */
interface CitedRow {
  readonly event_stream: string
  /** 1-based, within that stream. */
  readonly event_position: number
}

/** Ended executions; view `run_provenance`. */
export interface ProvenanceExecutionsTable extends CitedRow {
  readonly effect_id: string
  readonly execution_id: string
  readonly workspace_id: string
  readonly run_id: string
  readonly call_id: string
  readonly state: string
  readonly exit_code: number | null
  readonly command_preview: string
  readonly environment_id: string
  readonly environment_revision: string
  readonly started_at: string
  readonly finished_at: string
  /** All declared and observed inputs as JSON, and the first of the possible ones. */
  readonly inputs_json: string
  /** How many there are in all. */
  readonly inputs_total: number
}

/** One path in one committed change; the revision of a file. */
export interface FileChangesTable extends CitedRow {
  readonly effect_id: string
  /** One for a path of a workspace, whatever happens to it. */
  readonly file_id: string
  readonly path: string
  readonly path_hash: string
  readonly revision_id: string
  readonly project_id: string
  readonly workspace_id: string
  readonly agent_id: string
  readonly change: string
  readonly sha256: string | null
  readonly previous_sha256: string | null
  readonly origin: string
  readonly call_id: string
  readonly run_id: string
  readonly execution_id: string
  readonly at: string
}

/** The exact order of changes of a workspace; view `workspace_provenance`. */
export interface WorkspaceOrderTable {
  readonly effect_id: string
  readonly workspace_id: string
  readonly position: number
}

/** Where a run says that it declared a version; view `run_provenance`. */
export interface VersionMentionsTable extends CitedRow {
  readonly version_id: string
}

/** A declared or observed input of an execution; view `provenance_uses`. */
export interface ExecutionInputsTable {
  readonly effect_id: string
  /** Path of a workspace, as in `file_changes`. */
  readonly file_id: string
  readonly sha256: string
  readonly path: string
  readonly evidence: string
  readonly execution_id: string
  readonly started_at: string
}

/** A file that one execution moved to another path of its workspace; view `provenance_uses`. */
export interface FileMovesTable {
  readonly effect_id: string
  readonly workspace_id: string
  readonly from_file_id: string
  readonly from_path: string
  readonly to_file_id: string
  readonly to_path: string
  readonly sha256: string
}

/** A list that an event names and the blob store does not have any more; view `provenance_uses`. */
export interface LostListsTable {
  readonly effect_id: string
  /** `inputs` of an execution, or `changes` of a workspace. */
  readonly list: string
  readonly workspace_id: string
  readonly digest: string
}

/** What a run was asked of; view `provenance_uses`. */
export interface RunModelsTable {
  readonly run_id: string
  readonly model: string
  readonly profile: string
  readonly prompt_digest: string
}

export interface ProvenanceUsesTables {
  readonly execution_inputs: ExecutionInputsTable
  readonly file_moves: FileMovesTable
  readonly lost_lists: LostListsTable
  readonly run_models: RunModelsTable
}

export interface ArtifactTables {
  readonly artifacts: ArtifactsTable
  readonly artifact_versions: ArtifactVersionsTable
}

export interface RunProvenanceTables {
  readonly provenance_runs: ProvenanceRunsTable
  readonly provenance_calls: ProvenanceCallsTable
  readonly provenance_executions: ProvenanceExecutionsTable
  readonly run_file_changes: FileChangesTable
  readonly version_mentions: VersionMentionsTable
}

/** Facts that no run records: uploads, and changes behind the platform's back. */
export interface WorkspaceProvenanceTables {
  readonly workspace_file_changes: FileChangesTable
  readonly workspace_order: WorkspaceOrderTable
}

/** A transfer that was asked for; view `transfers`. What became of it is on its stream. */
export interface TransfersTable {
  readonly transfer_id: string
  readonly project_id: string
  readonly agent_id: string
  readonly queued_at: string
}

/** A revision that a transfer made, and the content that it is a copy of; view `transfers`. */
export interface TransferCopiesTable {
  readonly revision_id: string
  readonly transfer_id: string
  readonly source_workspace_id: string
  readonly source_file_id: string
  readonly source_path: string
  readonly target_workspace_id: string
  readonly target_file_id: string
  readonly target_path: string
  readonly sha256: string
  readonly event_position: number
}

export interface TransferTables {
  readonly transfers: TransfersTable
  readonly transfer_copies: TransferCopiesTable
}

/** The tables of schema `artifact_store`. Each is written by one view, so that each view can be rebuilt alone. */
export type ArtifactStoreTables = CheckpointTables &
  ArtifactTables &
  RunProvenanceTables &
  WorkspaceProvenanceTables &
  ProvenanceUsesTables &
  TransferTables
