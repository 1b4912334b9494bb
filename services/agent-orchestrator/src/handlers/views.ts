import { type Project } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { type Plan, type Run, type TranscriptEntry } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { type Session } from '@sciencediscovery/proto-gen/sessions/v1/sessions'

/** One page of rows, and where the next one begins; empty on the last. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly nextPageToken: string
}

/** Which page. `minPosition` empty means now; else the view is waited for, `unavailable` after 2 s. */
export interface PageRequest {
  readonly pageSize: number
  readonly pageToken: string
  readonly minPosition: string
}

/** Whose projects a list is about; undefined: all of them. */
export interface ForWhom {
  readonly memberId: string | undefined
}

/** Which kept output, and who reads it. */
export interface WantedOutput {
  readonly sessionId: string
  readonly runId: string
  readonly ref: string
}

/** A tool result that was kept whole. */
export interface KeptOutput {
  readonly digest: string
  readonly sizeBytes: number
  readonly lines: number
  readonly tool: string
  /** What the run was shown of it so far, oldest first. */
  readonly reads: readonly { readonly pageKey: string; readonly bytes: number }[]
}

/** What the views answer. Everything here can be rebuilt from the streams. */
export interface Views {
  listProjects(filter: ForWhom, page: PageRequest): Promise<Page<Project>>
  listSessions(
    filter: ForWhom & { readonly projectId: string },
    page: PageRequest,
  ): Promise<Page<Session>>
  listRuns(
    filter: ForWhom & { readonly projectId: string; readonly sessionId: string },
    page: PageRequest,
  ): Promise<Page<Run>>
  /** The run as the view has it, queued ones included; undefined when it is not there (yet). */
  findRun(runId: string, minPosition: string): Promise<Run | undefined>
  planOf(runId: string, minPosition: string): Promise<Plan | undefined>
  transcriptOf(
    filter: { readonly sessionId: string; readonly runId: string },
    page: PageRequest,
  ): Promise<Page<TranscriptEntry>>
  /** A kept output of the session, and what the run has read of it; undefined when the session has none of that name. */
  toolOutput(wanted: WantedOutput, minPosition: string): Promise<KeptOutput | undefined>
  /** Runs that still wait for something, with the replica that should see to it. */
  openRuns(): Promise<readonly { readonly runId: string; readonly writer: string }[]>
  /** Sessions that have admitted a run and not heard of its end. */
  activeSessions(): Promise<readonly string[]>
}
