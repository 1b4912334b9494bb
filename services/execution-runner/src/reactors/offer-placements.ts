import { type EventStore } from '@sciencediscovery/event-store'
import { type Context } from '../context.js'
import { offerPlacement } from './place-workspace.js'

/**
 * `placement.requested` → an offer to the replicas of its pool. Whoever asked offers too; this is for when it died.
 * All pools share the group: a commit that a replica of another pool is delivered would come to nobody else.
 */
export function offerPlacements(
  ctx: Pick<Context, 'queue' | 'workspaces'> & { readonly store: EventStore },
): Promise<AsyncDisposable> {
  const group = { name: 'execution-runner-placement', noun: 'workspaces', slots: 16 }
  return ctx.store.react(group, async ({ commit, sequence }) => {
    if (!commit.events.some(({ type }) => type === 'placement.requested')) return
    const { state } = await ctx.workspaces.load(commit.subject, sequence)
    await offerPlacement(ctx, commit.subject.slice(commit.subject.lastIndexOf('.') + 1), state)
  })
}
