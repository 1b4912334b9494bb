import { encodePosition } from '@sciencediscovery/projection'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import {
  type ArtifactDeclared,
  ArtifactDeclaredSchema,
  runSubject,
  workspaceSubject,
} from '@sciencediscovery/run-events'
import { appendEvents } from './append-events-fixture.js'
import { type Cast, type RunStory } from './run-story-fixture.js'
import { type World } from './world-fixture.js'

/** Uploads as a person does, and gives the position. */
export async function upload(
  world: World,
  cast: Cast,
  path: string,
  content: string,
): Promise<string> {
  const start = {
    idempotencyKey: path,
    projectId: cast.projectId,
    sessionId: cast.sessionId,
    path,
    conflict: Conflict.CONFLICT_OVERWRITE,
  }
  async function* parts() {
    await Promise.resolve()
    yield { part: { $case: 'start' as const, value: start } }
    yield { part: { $case: 'content' as const, value: Buffer.from(content) } }
  }
  return (await world.artifacts.uploadFile(parts())).position
}

/** Declares content as the gateway does, and gives the effect to be recorded on the run. */
export async function declare(
  world: World,
  cast: Cast,
  {
    callId,
    path,
    content,
  }: { readonly callId: string; readonly path: string; readonly content: string },
): Promise<ArtifactDeclared['data']> {
  const { digest, sizeBytes } = await world.blobs.put(Buffer.from(content))
  const { effects } = await world.artifacts.declareArtifact({
    effectKey: `${cast.runId}:${callId}:${path}`,
    actor: { ...cast, callId },
    workspaceId: cast.workspaceId,
    file: { path, digest, sizeBytes: BigInt(sizeBytes), mediaType: 'application/json' },
    name: '',
    description: '',
    artifactId: '',
    baseVersionId: '',
    origin: 'agent',
    sessionTitle: '',
  })
  return ArtifactDeclaredSchema.shape.data.parse(JSON.parse(effects[0]?.dataJson ?? ''))
}

/** Records the story as its owners would, and gives the token of the run's end. */
export async function record(
  world: World,
  cast: Cast,
  story: Pick<RunStory, 'events' | 'workspaceEvents'>,
): Promise<string> {
  for (const event of story.workspaceEvents)
    await appendEvents(world.store, workspaceSubject(cast.workspaceId), [event])
  let last = { stream: '', sequence: 0 }
  for (const event of story.events)
    last = await appendEvents(world.store, runSubject(cast.runId), [event])
  return encodePosition(last)
}
