import { type EventPlace, type Revision, revisionWith } from '../domain/provenance/history.js'
import { type JudgedInput } from '../domain/provenance/judge-input.js'
import { type ArtifactRow, type LinkedVersion } from '../projections/artifact-queries.js'
import { type Subject } from './find-subject.js'
import { type SessionState } from './session-state.js'
import { type Upstream, type UpstreamStep } from './trace-upstream.js'

/** Everything that is known about a file or a version. */
export interface Findings {
  readonly subject: Subject
  readonly upstream: Upstream
  readonly versions: readonly LinkedVersion[]
  readonly session: SessionState
  /** Views that were behind when this was answered. */
  readonly behind: readonly string[]
}

/** The answer of GetFileProvenance, as JSON has it (contract 3.10). */
export function provenanceDetails(findings: Findings): Readonly<Record<string, unknown>> {
  const { subject, upstream, versions, session, behind } = findings
  const { artifact, revision } = subject
  return {
    origin: revision?.origin ?? artifact?.version_origin ?? 'unknown',
    fileId: subject.fileId,
    path: subject.place.path,
    revisionId: revision?.id ?? '',
    deleted: artifact === undefined && subject.history.deleted,
    agentId: subject.agentId,
    session,
    ...(artifact && { artifact: toVersion(artifact) }),
    revisions: revisionsUpTo(subject).map(toRevision),
    artifactVersions: versions.map((version) => toLink(version, subject)),
    upstream: upstream.steps.map(toStep),
    truncated: upstream.truncated,
    ...(behind.length > 0 && { behind }),
  }
}

/** Oldest first; the last one is the one that was asked about. */
function revisionsUpTo({ history, revision, artifact }: Subject): readonly Revision[] {
  if (revision) return history.revisions.slice(0, history.revisions.indexOf(revision) + 1)
  return artifact ? [] : history.revisions
}

function toRevision(revision: Revision): Readonly<Record<string, unknown>> {
  const { id, path, sha256, origin, callId, runId, executionId, parentRevisionId } = revision
  const { effectId, at, event } = revision
  return {
    id,
    path,
    sha256,
    origin,
    callId,
    parentRevisionId,
    runId,
    executionId,
    effectId,
    at,
    event,
  }
}

function toStep({ activity, inputs }: UpstreamStep): Readonly<Record<string, unknown>> {
  const { callId, kind, event, runId, name, execution, inputsOmitted } = activity
  return {
    callId,
    kind,
    event,
    inputs: inputs.map(toInput),
    inputsOmitted,
    runId,
    name,
    ...(execution && {
      execution: {
        id: execution.executionId,
        state: execution.state,
        exitCode: execution.exitCode,
        command: execution.command,
        environment: execution.environment,
        startedAt: execution.startedAt,
        finishedAt: execution.finishedAt,
      },
    }),
  }
}

function toInput(input: JudgedInput): Readonly<Record<string, unknown>> {
  const { path, sha256, origin, runnerId, evidence, revision } = input
  return {
    path,
    sha256,
    origin,
    runnerId,
    evidence,
    revisionId: revision?.id ?? '',
    callId: revision?.callId ?? '',
  }
}

function toVersion(row: ArtifactRow): Readonly<Record<string, unknown>> {
  return {
    id: row.artifact_id,
    name: row.name,
    version: row.version,
    versionId: row.version_id,
    sha256: row.sha256,
    origin: row.version_origin,
    callId: row.call_id,
    agentId: row.agent_id,
  }
}

function toLink(row: LinkedVersion, { history }: Subject): Readonly<Record<string, unknown>> {
  const event: EventPlace =
    row.event_stream === null || row.event_position === null
      ? { stream: `artifacts/${row.artifact_id}`, position: row.position }
      : { stream: row.event_stream, position: row.event_position }
  const revisionId = revisionWith(history, row.sha256, row.declared_at)?.id ?? ''
  return { ...toVersion(row), revisionId, event }
}
