import { type CheckpointTables } from '@sciencediscovery/db'

/** A run as far as its stream tells it. */
export interface RunsTable {
  run_id: string
  project_id: string
  session_id: string
  status: string
  goal: string
  model: string
  reason: string
  started_at: string
  ended_at: string
  model_turns: number
  input_tokens: number
  output_tokens: number
  cost_usd: number
  unpriced_turns: number
  is_open: boolean
  /** The replica that should see to its open request. */
  writer: string
}

export interface PlansTable {
  run_id: string
  agent_id: string
  items: string
  explanation: string
  position: number
}

export interface TranscriptTable {
  run_id: string
  sequence: number
  position: number
  role: string
  /** The text as the event holds it: JSON of a string or of a pointer. */
  text: string
  calls: string
  recorded_at: string
}

/** A tool result that was kept whole. */
export interface ToolOutputsTable {
  run_id: string
  ref: string
  digest: string
  size_bytes: number
  lines: number
  tool: string
}

/** A part of one that a run was shown. */
export interface ToolOutputReadsTable {
  run_id: string
  position: number
  ref: string
  page_key: string
  bytes: number
}

export interface SessionsTable {
  session_id: string
  project_id: string
  settings: string
  created_at: string
  archived_at: string
  active_run_id: string
}

/** Every run a session accepted, queued ones included. */
export interface SessionRunsTable {
  run_id: string
  session_id: string
  project_id: string
  goal: string
  model: string
  state: string
  queued_at: string
}

export interface ProjectsTable {
  project_id: string
  title: string
  created_at: string
  archived_at: string
}

/** Who belongs to which project. */
export interface ProjectMembersTable {
  project_id: string
  principal_id: string
  role: string
}

export interface Schema extends CheckpointTables {
  runs: RunsTable
  plans: PlansTable
  transcript: TranscriptTable
  tool_outputs: ToolOutputsTable
  tool_output_reads: ToolOutputReadsTable
  sessions: SessionsTable
  session_runs: SessionRunsTable
  projects: ProjectsTable
  project_members: ProjectMembersTable
}
