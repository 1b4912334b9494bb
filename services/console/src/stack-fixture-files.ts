import { invalid, notFound } from '@sciencediscovery/kernel'
import type { Artifact } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts'
import type { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import {
  Severity,
  type OperationsServiceService,
} from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import type { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import type { Implementation } from '@sciencediscovery/service-kit'
import type { World } from './world-fixture.js'

/** The provenance record of `gc.svg`, as its service sends it. */
export const provenanceJson = `{"origin":"agent","fileId":"f1","revisions":[{"id":"r1","path":"gc.svg","sha256":"${'a'.repeat(64)}","origin":"agent","callId":"s2","parentRevisionId":null}],"upstream":[]}`

/** One page of what used `gc.svg`. */
export const downstreamJson = `{"fileId":"f1","path":"gc.svg","sha256":"${'a'.repeat(64)}","revisionId":"r1","downstream":[{"hop":1,"callId":"s2","kind":"execution","runId":"run","event":{"stream":"runs/run","position":7},"inputs":[],"outputs":[{"path":"report.md","sha256":"${'b'.repeat(64)}","revisionId":"r2"}]}],"files":[{"path":"report.md","sha256":"${'b'.repeat(64)}","revisionId":"r2","callId":"s2"}],"artifactVersions":[],"possible":[],"truncated":false}`

/** Artifacts are what was uploaded. */
export function artifactHandlers(world: World): Implementation<typeof ArtifactServiceService> {
  return {
    declareArtifact: () => {
      throw invalid('effect_key', 'is for the gateway')
    },
    listArtifacts: (request) => {
      world.asked.push({ method: 'listArtifacts', request })
      const artifacts = [...world.files].map(([name, content]) => artifact(name, content))
      return Promise.resolve({ artifacts, nextPageToken: '' })
    },
    readArtifact: () => {
      throw notFound('artifact')
    },
    async *downloadArtifact({ name }) {
      const content = world.files.get(name)
      if (!content) throw notFound(`artifact ${name}`)
      await Promise.resolve()
      for (let at = 0; at < content.length; at += 5) yield { content: content.subarray(at, at + 5) }
    },
    async uploadFile(requests) {
      let path = ''
      const pieces: Buffer[] = []
      for await (const { part } of requests) {
        if (part?.$case === 'start') {
          world.asked.push({ method: 'uploadFile', request: part.value })
          path = part.value.path
        } else if (part) pieces.push(part.value)
      }
      const content = Buffer.concat(pieces)
      world.files.set(path, content)
      const file = {
        path,
        digest: 'd'.repeat(64),
        sizeBytes: BigInt(content.length),
        mediaType: 'text/csv',
      }
      return { artifact: artifact(path, content), file, position: 'p' }
    },
  }
}

/** One file has a history. */
export function provenanceHandlers(world: World): Implementation<typeof ProvenanceServiceService> {
  return {
    getFileProvenance: (request) => {
      world.asked.push({ method: 'getFileProvenance', request })
      if (request.pathOrArtifact !== 'gc.svg') throw notFound(`file ${request.pathOrArtifact}`)
      return Promise.resolve({ detailsJson: provenanceJson })
    },
    getDownstream: (request) => {
      world.asked.push({ method: 'getDownstream', request })
      const isFirst = request.pageToken === ''
      const detailsJson = isFirst ? downstreamJson : downstreamJson.replaceAll('s2', 's3')
      return Promise.resolve({ detailsJson, nextPageToken: isFirst ? 'next' : '' })
    },
    async *downloadRevision({ revisionId }) {
      if (revisionId !== 'r1') throw notFound(`revision ${revisionId}`)
      await Promise.resolve()
      yield { content: Buffer.from('<svg/>') }
    },
  }
}

/** A stack with a broken view. */
export function operationsHandlers(world: World): Implementation<typeof OperationsServiceService> {
  const finding = (name: string, severity: Severity, message: string, remedy = ''): Finding => ({
    name,
    severity,
    message,
    remedy,
  })
  return {
    diagnose: (request) => {
      world.asked.push({ method: 'diagnose', request })
      return Promise.resolve({
        service: 'console',
        replicaId: 'console-1',
        findings: [
          finding('tool-gateway/answers', Severity.SEVERITY_OK, 'at unix:x'),
          finding('agent-orchestrator/event-store', Severity.SEVERITY_OK, 'writes'),
          finding(
            'agent-orchestrator/view:runs',
            Severity.SEVERITY_ERROR,
            'stopped at 7',
            'run make migrate',
          ),
        ],
      })
    },
  }
}

interface Finding {
  readonly name: string
  readonly severity: Severity
  readonly message: string
  readonly remedy: string
}

function artifact(name: string, content: Buffer): Artifact {
  const texts = {
    artifactId: `art-${name}`,
    projectId: 'default',
    name,
    kind: 'dataset',
    origin: 'upload',
  }
  const version = {
    versionId: 'v1',
    version: 1,
    digest: 'd'.repeat(64),
    sizeBytes: BigInt(content.length),
    mediaType: 'text/csv',
    sourcePath: name,
    origin: 'upload',
    declaredAt: '2026-01-01T00:00:00.000Z',
    sessionId: 's',
    runId: '',
    callId: '',
    agentId: '',
    description: '',
    workspaceId: 'w',
  }
  return { ...texts, createdSessionId: 's', createdSessionTitle: '', version }
}
