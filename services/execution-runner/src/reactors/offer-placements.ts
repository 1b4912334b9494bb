import { type EventStore } from '@sciencediscovery/event-store'
import { type Context } from '../context.js'
import { offerPlacement } from './place-workspace.js'

/** `placement.requested` → an offer to the replicas of the pool. Whoever asked offers too; this is for when it died. */
export function offerPlacements(
  ctx: Pick<Context, 'queue' | 'here' | 'workspaces'> & { readonly store: EventStore },
): Promise<AsyncDisposable> {
  const group = { name: 'execution-runner-placement', noun: 'workspaces', slots: 16 }
  return ctx.store.react(group, async ({ commit, sequence }) => {
    const asks = commit.events.some(
      ({ type, data }) => type === 'placement.requested' && isOf(ctx.here.pool, data),
    )
    if (!asks) return
    const { state } = await ctx.workspaces.load(commit.subject, sequence)
    await offerPlacement(ctx, commit.subject.slice(commit.subject.lastIndexOf('.') + 1), state)
  })
}

function isOf(pool: string, data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'pool' in data && data.pool === pool
}
