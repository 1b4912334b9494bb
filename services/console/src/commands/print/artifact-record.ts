import type { Artifact, ArtifactVersion } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts'

/** An artifact with one of its versions, for machines. */
export function artifactRecord({
  version,
  ...artifact
}: Artifact): Readonly<Record<string, unknown>> {
  const { name, kind, origin, artifactId } = artifact
  return { name, version: 0, origin, kind, artifactId, ...(version && versionRecord(version)) }
}

function versionRecord(found: ArtifactVersion): Readonly<Record<string, unknown>> {
  const { version, origin, versionId, digest, sizeBytes, mediaType, sessionId, runId, declaredAt } =
    found
  const content = { sha256: digest, sizeBytes: Number(sizeBytes), mediaType }
  return { version, origin, versionId, ...content, sessionId, runId, declaredAt }
}
