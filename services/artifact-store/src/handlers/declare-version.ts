import { commandIdOf, derivedId } from '@sciencediscovery/event-store'
import { PlatformError, invalid } from '@sciencediscovery/kernel'
import { type DeclareArtifactResponse } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { artifactSubject } from '@sciencediscovery/run-events'
import { type Context } from '../context.js'
import { type DeclareVersion } from '../domain/artifact/commands.js'
import { versionOfKey } from '../domain/artifact/decider.js'
import { type ArtifactVersionDeclared } from '../domain/artifact/events.js'
import { declaredEffect } from './declared-effect.js'
import { toArtifactOfState } from './to-artifact.js'

/** What to declare, checked. */
export interface DeclareOrder {
  readonly effectKey: string
  readonly actor: {
    readonly projectId: string
    readonly sessionId: string
    readonly runId: string
    readonly agentId: string
    readonly callId: string
  }
  readonly workspaceId: string
  readonly file: {
    readonly path: string
    readonly digest: string
    readonly sizeBytes: number
    readonly mediaType: string
  }
  readonly target:
    | { readonly kind: 'named'; readonly name: string }
    | {
        readonly kind: 'based'
        readonly artifactId: string
        readonly baseVersionId: string
        readonly name: string | undefined
      }
  readonly description: string
  readonly origin: ArtifactVersionDeclared['data']['origin']
  readonly sessionTitle: string
}

/** Declares content that is stored already; the same effect key again gives the same version. */
export async function declareVersion(
  ctx: Context,
  order: DeclareOrder,
  signal: AbortSignal,
): Promise<DeclareArtifactResponse> {
  const { projectId } = order.actor
  const artifactId =
    order.target.kind === 'based'
      ? order.target.artifactId
      : derivedId('art', projectId, order.target.name)
  await refuseWithoutContent(ctx, order)
  const { folded } = await ctx.artifacts.handle(
    artifactSubject(projectId, artifactId),
    toCommand(ctx, order, artifactId),
    {
      commandId: commandIdOf(projectId, 'DeclareArtifact', order.effectKey),
      causationId: order.actor.callId || order.effectKey,
      correlationId: order.actor.runId || order.effectKey,
      signal,
    },
  )
  const version = versionOfKey(folded.state, order.effectKey)
  if (!version)
    throw new PlatformError('bug', `${artifactId} lost the version of ${order.effectKey}`)
  return {
    artifact: toArtifactOfState(folded.state, version),
    effects: [declaredEffect(version)],
    position: ctx.positionOf(folded.sequence),
  }
}

/** Content before pointer: a version never points at nothing. */
async function refuseWithoutContent(ctx: Context, { file }: DeclareOrder): Promise<void> {
  const stored = await ctx.blobs.stat(file.digest)
  if (!stored) throw invalid('file.digest', 'is not in the blob store', 'store the content first')
  if (stored.sizeBytes !== file.sizeBytes)
    throw invalid('file.size_bytes', `is not ${stored.sizeBytes}, the size of the content`)
}

function toCommand(ctx: Context, order: DeclareOrder, artifactId: string): DeclareVersion {
  const { actor, file } = order
  return {
    type: 'DeclareVersion',
    target: order.target,
    content: {
      projectId: actor.projectId,
      artifactId,
      versionId: derivedId('ver', artifactId, order.effectKey),
      effectKey: order.effectKey,
      sha256: file.digest,
      sizeBytes: file.sizeBytes,
      mediaType: file.mediaType || 'application/octet-stream',
      sourcePath: file.path,
      origin: order.origin,
      description: order.description,
      workspaceId: order.workspaceId,
      sessionId: actor.sessionId,
      sessionTitle: order.sessionTitle,
      runId: actor.runId,
      callId: actor.callId,
      agentId: actor.agentId,
      at: new Date(ctx.here.clock()).toISOString(),
    },
  }
}
