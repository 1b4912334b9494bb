import { type Unary } from '@sciencediscovery/service-kit'
import { invalid, notFound } from '@sciencediscovery/kernel'
import {
  type DeclareArtifactRequest,
  type DeclareArtifactResponse,
} from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { placeOfWorkspace } from '@sciencediscovery/run-events'
import { z } from 'zod'
import { type Context } from '../context.js'
import { artifactOrigins } from '../domain/artifact/events.js'
import { parseArtifactName, parseName } from '../domain/artifact/name.js'
import { declareVersion, type DeclareOrder } from './declare-version.js'
import {
  CountSchema,
  DigestSchema,
  KeySchema,
  optionalName,
  parseRequest,
  ProjectSchema,
} from './parse-request.js'

const RequestSchema = z.object({
  effectKey: KeySchema,
  actor: z.object({
    projectId: ProjectSchema,
    sessionId: z.string().min(1, 'is missing'),
    runId: z.string(),
    agentId: z.string(),
    callId: z.string(),
  }),
  workspaceId: z.string().min(1, 'is missing'),
  file: z.object({
    path: z.string(),
    digest: DigestSchema,
    sizeBytes: CountSchema,
    mediaType: z.string(),
  }),
  name: z.string(),
  description: z.string().max(2000, 'is longer than 2000 characters'),
  artifactId: z.string(),
  baseVersionId: z.string(),
  origin: z.union([z.literal('').transform(() => 'agent' as const), z.enum(artifactOrigins)], {
    error: `is not one of ${artifactOrigins.join(', ')}`,
  }),
  sessionTitle: z.string(),
})

/** DeclareArtifact: committed content becomes the next version of a name (S-06). */
export function declareArtifact(
  ctx: Context,
): Unary<DeclareArtifactRequest, DeclareArtifactResponse> {
  return async (request, call) => {
    const asked = parseRequest(RequestSchema, request)
    if (placeOfWorkspace(asked.workspaceId).projectId !== asked.actor.projectId)
      throw invalid('workspace_id', 'belongs to another project', 'send a workspace of the project')
    const path = parseName(asked.file.path, 'file.path')
    const order: DeclareOrder = {
      ...asked,
      file: { ...asked.file, path },
      target: targetOf(asked, path),
    }
    return declareVersion(ctx, order, call.signal)
  }
}

function targetOf(asked: z.output<typeof RequestSchema>, path: string): DeclareOrder['target'] {
  const { artifactId, baseVersionId } = asked
  const name = optionalName(asked.name, 'name')
  if (artifactId === '' && baseVersionId === '')
    return { kind: 'named', name: name ?? parseArtifactName(path, 'file.path') }
  if (artifactId === '')
    throw invalid('artifact_id', 'is missing', 'send it together with base_version_id')
  if (baseVersionId === '')
    throw invalid('base_version_id', 'is missing', 'send the version that you worked from')
  if (!/^art[0-9a-f]{32}$/.test(artifactId))
    throw notFound(`artifact ${JSON.stringify(artifactId.slice(0, 100))}`)
  return { kind: 'based', artifactId, baseVersionId, name }
}
