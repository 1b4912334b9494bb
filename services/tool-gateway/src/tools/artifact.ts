import { PlatformError } from '@sciencediscovery/kernel'
import { type Artifact } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts'
import { z } from 'zod'
import { sizeText } from './words.js'

/** An artifact with one of its versions, as programs read it. */
export const ArtifactSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  origin: z.string(),
  version: z.int(),
  versionId: z.string(),
  path: z.string(),
  sha256: z.string(),
  sizeBytes: z.int(),
  mediaType: z.string(),
  description: z.string(),
  declaredAt: z.string(),
  /** Session that created the artifact, as it was then. */
  createdSession: z.strictObject({ id: z.string(), title: z.string() }),
})
export type ArtifactRecord = z.infer<typeof ArtifactSchema>

/** The artifact that an owner answered with. */
export function toArtifact(artifact: Artifact | undefined): ArtifactRecord {
  if (!artifact?.version) throw new PlatformError('bug', 'the artifact store sent no version')
  const { version } = artifact
  return {
    id: artifact.artifactId,
    name: artifact.name,
    kind: artifact.kind,
    origin: version.origin,
    version: version.version,
    versionId: version.versionId,
    path: version.sourcePath,
    sha256: version.digest,
    sizeBytes: Number(version.sizeBytes),
    mediaType: version.mediaType,
    description: version.description,
    declaredAt: version.declaredAt,
    createdSession: { id: artifact.createdSessionId, title: artifact.createdSessionTitle },
  }
}

/** One line for the model. */
export function artifactText(artifact: ArtifactRecord): string {
  const { name, version, kind, origin, id, versionId } = artifact
  return `${name} version ${version} (${kind}, ${sizeText(artifact.sizeBytes)}, origin ${origin}, artifact_id ${id}, version id ${versionId})`
}
