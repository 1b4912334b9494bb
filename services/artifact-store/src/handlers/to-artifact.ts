import {
  type Artifact,
  type ArtifactVersion,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts'
import { type ArtifactState, type DeclaredVersion } from '../domain/artifact/decider.js'
import { type ArtifactRow } from '../projections/artifact-queries.js'

/** The artifact with one of its versions, from its stream. */
export function toArtifactOfState(state: ArtifactState, version: DeclaredVersion): Artifact {
  const { first, newest } =
    state.status === 'declared' ? state : { first: version, newest: version }
  return {
    artifactId: version.artifactId,
    projectId: version.projectId,
    name: version.name,
    kind: newest.kind,
    origin: first.origin,
    createdSessionId: first.sessionId,
    createdSessionTitle: first.sessionTitle,
    version: toVersion(version),
  }
}

/** The artifact with one of its versions, from the view. */
export function toArtifactOfRow(row: ArtifactRow): Artifact {
  return {
    artifactId: row.artifact_id,
    projectId: row.project_id,
    name: row.name,
    kind: row.kind,
    origin: row.origin,
    createdSessionId: row.created_session_id,
    createdSessionTitle: row.created_session_title,
    version: {
      versionId: row.version_id,
      version: row.version,
      digest: row.sha256,
      sizeBytes: BigInt(row.size_bytes),
      mediaType: row.media_type,
      sourcePath: row.source_path,
      origin: row.version_origin,
      declaredAt: row.declared_at,
      sessionId: row.session_id,
      runId: row.run_id,
      callId: row.call_id,
      agentId: row.agent_id,
      description: row.description,
      workspaceId: row.workspace_id,
    },
  }
}

function toVersion(version: DeclaredVersion): ArtifactVersion {
  return {
    versionId: version.versionId,
    version: version.version,
    digest: version.sha256,
    sizeBytes: BigInt(version.sizeBytes),
    mediaType: version.mediaType,
    sourcePath: version.sourcePath,
    origin: version.origin,
    declaredAt: version.at,
    sessionId: version.sessionId,
    runId: version.runId,
    callId: version.callId,
    agentId: version.agentId,
    description: version.description,
    workspaceId: version.workspaceId,
  }
}
