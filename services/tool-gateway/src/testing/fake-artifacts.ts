import { PlatformError } from '@sciencediscovery/kernel'
import {
  type Artifact,
  type ArtifactVersion,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts'
import {
  type ArtifactServiceService,
  type DeclareArtifactRequest,
  type DeclareArtifactResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { type ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { type CommittedFile } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { type Implementation } from '@sciencediscovery/service-kit'
import { pageOf } from './fake-files.js'

/** The artifact store, in memory: versions by name, effects kept by key, content by digest. */
export interface FakeArtifacts {
  readonly service: Implementation<typeof ArtifactServiceService>
  readonly provenance: Implementation<typeof ProvenanceServiceService>
  /** All versions by artifact id, oldest first. */
  readonly versions: Map<string, Artifact[]>
  /** Content that reading finds, by digest. */
  readonly contents: Map<string, Buffer>
  /** Positions that listings were asked to wait for. */
  readonly waitedFor: string[]
  /** What the provenance view answers, by path. */
  readonly origins: Map<string, unknown>
  /** Thrown by the next declaration, once. */
  readonly failures: Error[]
}

/** An artifact store that a test looks at. */
export function createFakeArtifacts(): FakeArtifacts {
  const versions = new Map<string, Artifact[]>()
  const contents = new Map<string, Buffer>()
  const origins = new Map<string, unknown>()
  const waitedFor: string[] = []
  const failures: Error[] = []
  const done = new Map<string, DeclareArtifactResponse>()
  const service: FakeArtifacts['service'] = {
    declareArtifact: (request) => {
      const failure = failures.shift()
      if (failure) throw failure
      const answer = done.get(request.effectKey) ?? declare(versions, request)
      done.set(request.effectKey, answer)
      return Promise.resolve(answer)
    },
    listArtifacts: ({ minPosition }) => {
      waitedFor.push(minPosition)
      const newest = [...versions.values()].flatMap((all) => all.slice(-1))
      return Promise.resolve({ artifacts: newest, nextPageToken: '' })
    },
    readArtifact: (request) => {
      const all = [...versions.values()].find(
        ([first]) => first?.artifactId === request.artifactId || first?.name === request.name,
      )
      const artifact = request.version === 0 ? all?.at(-1) : all?.[request.version - 1]
      if (!artifact?.version)
        throw new PlatformError('not_found', `artifact ${request.name} not found`)
      const content = contents.get(artifact.version.digest) ?? Buffer.alloc(0)
      const page = pageOf(content, Number(request.offset), request.limit)
      return Promise.resolve({ artifact, page })
    },
    downloadArtifact: () => {
      throw new PlatformError('bug', 'not asked by the gateway')
    },
    uploadFile: () => Promise.reject(new PlatformError('bug', 'not asked by the gateway')),
  }
  const provenance: FakeArtifacts['provenance'] = {
    getFileProvenance: ({ pathOrArtifact }) => {
      const details = origins.get(pathOrArtifact)
      if (details === undefined) throw new PlatformError('not_found', `${pathOrArtifact} not found`)
      return Promise.resolve({ detailsJson: JSON.stringify(details) })
    },
    getDownstream: () => Promise.reject(new PlatformError('bug', 'not asked by the gateway')),
    downloadRevision: () => {
      throw new PlatformError('bug', 'not asked by the gateway')
    },
  }
  return { service, provenance, versions, contents, waitedFor, origins, failures }
}

function declare(
  versions: Map<string, Artifact[]>,
  request: DeclareArtifactRequest,
): DeclareArtifactResponse {
  const { file } = request
  if (!file) throw new PlatformError('invalid', 'file: is missing', { field: 'file' })
  const name = versions.get(request.artifactId)?.[0]?.name ?? (request.name || file.path)
  const artifactId = `art-${name}`
  const all = versions.get(artifactId) ?? []
  requireNewest(request, all)
  const version = all.length + 1
  const artifact = { ...artifactOf(request, artifactId), name, version: versionOf(request, file) }
  artifact.version.versionId = `${artifactId}-v${version}`
  artifact.version.version = version
  versions.set(artifactId, [...all, artifact])
  const effectId = request.effectKey
  const effects = [{ effectId, type: 'artifact.declared', version: 1, dataJson: '{}' }]
  return { artifact, effects, position: `position-${versions.size}-${version}` }
}

function requireNewest(request: DeclareArtifactRequest, all: readonly Artifact[]): void {
  const last = all.at(-1)
  const newest = last?.version?.versionId ?? ''
  if (request.artifactId === '' || request.baseVersionId === newest) return
  const name = last?.name ?? 'the artifact'
  throw new PlatformError('refused', `${name} has a newer version than the one you worked from`, {
    reason: 'ARTIFACT_VERSION_CONFLICT',
    remedy: `read version ${newest} and work from that`,
  })
}

function artifactOf(request: DeclareArtifactRequest, artifactId: string): Artifact {
  return {
    artifactId,
    projectId: request.actor?.projectId ?? '',
    name: '',
    kind: 'other',
    origin: request.origin,
    createdSessionId: request.actor?.sessionId ?? '',
    createdSessionTitle: request.sessionTitle,
    version: undefined,
  }
}

function versionOf(request: DeclareArtifactRequest, file: CommittedFile): ArtifactVersion {
  const { actor, origin, description, workspaceId } = request
  const { digest, sizeBytes, mediaType, path: sourcePath } = file
  const place = actor ?? { sessionId: '', runId: '', callId: '', agentId: '' }
  const { sessionId, runId, callId, agentId } = place
  return {
    versionId: '',
    version: 0,
    digest,
    sizeBytes,
    mediaType,
    sourcePath,
    origin,
    declaredAt: '2026-01-02T03:04:05.000Z',
    sessionId,
    runId,
    callId,
    agentId,
    description,
    workspaceId,
  }
}
