import { type Actor } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { z } from 'zod'
import { type Place } from './parse-request.js'

/** Who asks. */
export const ActorSchema = z.strictObject({
  projectId: z.string(),
  sessionId: z.string(),
  runId: z.string(),
  agentId: z.string(),
  callId: z.string(),
})

/** What every request about files carries. */
export const fileRequestShape = {
  actor: ActorSchema,
  workspaceId: z.string(),
  runnerId: z.string(),
}

export const effectKeyField = z
  .string()
  .min(1, 'send a key that is the same when you ask again')
  .max(400, 'send at most 400 characters')

/** Where a request about files belongs. */
export function placeOf(request: {
  readonly actor: Actor
  readonly workspaceId: string
  readonly runnerId: string
}): Place {
  const { workspaceId, runnerId } = request
  return { projectId: request.actor.projectId, workspaceId, runnerId }
}
