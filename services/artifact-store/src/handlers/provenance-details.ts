import { type Activity } from '../domain/provenance/activity.js'
import { type Break, reasonOf } from '../domain/provenance/breaks.js'
import { type EventPlace, type Revision } from '../domain/provenance/history.js'
import { type JudgedInput } from '../domain/provenance/judge-input.js'
import { agentOfWorkspace, poolOfWorkspace } from '../domain/provenance/places.js'
import { type ArtifactRow } from '../projections/artifact-queries.js'
import { type Subject } from './find-subject.js'
import { type VersionOfRevision } from './linked-versions.js'
import { type SessionState } from './session-state.js'
import { type Upstream, type UpstreamStep } from './trace-upstream.js'

/** Everything that is known about a file or a version. */
export interface Findings {
  readonly subject: Subject
  readonly upstream: Upstream
  readonly versions: readonly VersionOfRevision[]
  readonly session: SessionState
  /** Views that were behind when this was answered. */
  readonly behind: readonly string[]
  readonly breaks: readonly Break[]
  /** Which model a run was asked of, by run. */
  readonly models: ReadonlyMap<string, string>
}

type Json = Readonly<Record<string, unknown>>

/** The answer of GetFileProvenance, as JSON has it (contract 3.10). */
export function provenanceDetails(findings: Findings): Json {
  const { subject, upstream, versions, session, behind, breaks, models } = findings
  const { artifact, revision, revisions, history } = subject
  return {
    origin: originOf(subject),
    fileId: subject.fileId,
    ...placeDetails(subject),
    revisionId: revision?.id ?? '',
    deleted: artifact === undefined && history.deleted,
    ...(history.movedTo !== null && { movedTo: history.movedTo }),
    session,
    ...(artifact && { artifact: toVersion(artifact) }),
    revisions: revisions.map(toRevision),
    artifactVersions: versions.map(toLink),
    upstream: upstream.steps.map((step) => toStep(step, models)),
    truncated: upstream.truncated,
    broken: breaks.length > 0,
    reason: reasonOf(breaks),
    breaks,
    ...(behind.length > 0 && { behind }),
  }
}

/** The recorded origin of what was asked about. */
export function originOf({ revision, artifact }: Pick<Subject, 'revision' | 'artifact'>): string {
  return revision?.origin ?? artifact?.version_origin ?? 'unknown'
}

/** Whose file it is: the workspace's id says so, for children too. */
export function placeDetails({ place, agentId }: Pick<Subject, 'place' | 'agentId'>): Json {
  const { workspaceId, path } = place
  return { path, agentId, workspaceId, runnerId: poolOfWorkspace(workspaceId) }
}

function toRevision(revision: Revision): Json {
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

function toStep({ activity, inputs, outputs }: UpstreamStep, models: Findings['models']): Json {
  return {
    ...activityDetails(activity),
    inputs: inputs.map(toInput),
    inputsOmitted: activity.inputsOmitted,
    outputs: outputs.map(({ id, path, sha256 }) => ({ path, sha256, revisionId: id })),
    model: models.get(activity.runId) ?? '',
  }
}

/** Who did what, when, citing the event that says so. */
export function activityDetails(activity: Activity): Json {
  const { callId, kind, event, runId, name, execution, moved, workspaceId, startedAt } = activity
  return {
    callId,
    kind,
    event,
    runId,
    name,
    agentId: agentOfWorkspace(workspaceId),
    workspaceId,
    at: execution?.finishedAt ?? startedAt,
    ...(moved && { moved }),
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

/** What was taken, as far as it can be told. */
export function toInput(input: JudgedInput): Json {
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

function toVersion(row: ArtifactRow): Json {
  return {
    id: row.artifact_id,
    name: row.name,
    version: row.version,
    versionId: row.version_id,
    sha256: row.sha256,
    sizeBytes: row.size_bytes,
    mediaType: row.media_type,
    origin: row.version_origin,
    callId: row.call_id,
    agentId: row.agent_id,
    sessionId: row.session_id,
    declaredAt: row.declared_at,
  }
}

/** A version with the revision it holds, citing the run that declared it or else the artifact's own stream. */
export function toLink({ version: row, revisionId }: VersionOfRevision): Json {
  const event: EventPlace =
    row.event_stream === null || row.event_position === null
      ? { stream: `artifacts/${row.artifact_id}`, position: row.position }
      : { stream: row.event_stream, position: row.event_position }
  return { ...toVersion(row), revisionId, event }
}
