import { type Effect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { ArtifactDeclaredSchema, type ArtifactDeclared } from '@sciencediscovery/run-events'
import { type DeclaredVersion } from '../domain/artifact/decider.js'

/** The fact that the run records. */
export function declaredEffect(version: DeclaredVersion): Effect {
  const data: ArtifactDeclared['data'] = {
    effectId: `declared-${version.versionId}`,
    callId: version.callId,
    workspaceId: version.workspaceId,
    artifactId: version.artifactId,
    versionId: version.versionId,
    name: version.name,
    version: version.version,
    path: version.sourcePath,
    sha256: version.sha256,
    sizeBytes: version.sizeBytes,
    mediaType: version.mediaType,
    origin: version.origin,
    at: version.at,
  }
  return {
    effectId: data.effectId,
    type: ArtifactDeclaredSchema.shape.type.value,
    version: ArtifactDeclaredSchema.shape.v.value,
    dataJson: JSON.stringify(data),
  }
}
