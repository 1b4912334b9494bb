import { commandIdOf } from '@sciencediscovery/event-store'
import { placeOfWorkspace, workspaceSubject } from '@sciencediscovery/run-events'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type WorkspaceState } from '../domain/workspace/state.js'

/** What is offered to the replicas of a pool. The un-settled offer is the lease. */
export const PlacementSchema = z.object({ workspaceId: z.string(), placement: z.number() })

export function placementQueue(pool: string): string {
  return `placement.${pool}`
}

/** Offers an open placement. Offering it again changes nothing while somebody holds it or it waits. */
export async function offerPlacement(
  { queue }: Pick<Context, 'queue'>,
  workspaceId: string,
  state: WorkspaceState,
): Promise<void> {
  const { ownership } = state
  if (ownership.status === 'none') return
  const { placement } = ownership
  // Replicas of other pools see to it, too: the pool is the one of the workspace, not of who offers.
  const queueName = placementQueue(placeOfWorkspace(workspaceId).runnerId)
  await queue.offer(queueName, `${workspaceId}:${placement}`, { workspaceId, placement })
}

/** Asks for an owner when there is none, and offers the placement. */
export async function requestPlacement(ctx: Context, workspaceId: string): Promise<WorkspaceState> {
  const { workspaces, here } = ctx
  const subject = workspaceSubject(workspaceId)
  const { version } = await workspaces.load(subject)
  const { folded } = await workspaces.handle(
    subject,
    { type: 'RequestPlacement', pool: here.pool, at: new Date(here.clock()).toISOString() },
    {
      commandId: commandIdOf('request-placement', workspaceId, version),
      causationId: workspaceId,
      correlationId: workspaceId,
    },
  )
  await offerPlacement(ctx, workspaceId, folded.state)
  return folded.state
}
