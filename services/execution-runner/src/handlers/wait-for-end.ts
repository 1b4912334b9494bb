import { PlatformError, notFound } from '@sciencediscovery/kernel'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { withDeadline } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { lookUp } from '../domain/workspace/keyed.js'
import { type Execution } from '../domain/workspace/state.js'
import { type OwnedWorkspace } from '../owned-workspaces.js'

/** The execution as the stream has it; one nobody asked for is not found, like one of somebody else. */
export async function findExecution(
  ctx: Context,
  workspaceId: string,
  executionId: string,
): Promise<Execution> {
  const { state } = await ctx.workspaces.load(workspaceSubject(workspaceId))
  const found = lookUp(state.executions, executionId)
  if (!found) throw notFound(`execution ${executionId}`)
  return found
}

/**
 * Waits at the owner for the end, as long as the caller wants. When the claim ends before, the next owner
 * is to be asked: "still running" would be the last that the caller hears of it.
 */
export async function waitForEnd(
  ctx: Context,
  owned: OwnedWorkspace,
  { executionId, waitMs, signal }: { executionId: string; waitMs: number; signal: AbortSignal },
): Promise<Execution> {
  const until = AbortSignal.any([withDeadline(signal, waitMs), owned.over])
  for (;;) {
    const changed = owned.pulse.next(until)
    const found = await findExecution(ctx, owned.workspaceId, executionId)
    if (found.status === 'ended' || waitMs === 0) return found
    if (owned.over.aborted && !signal.aborted) throw notOwner(owned.workspaceId)
    if (until.aborted) return found
    await changed
  }
}

/** The workspace is at another replica, or at none. */
export function notOwner(workspaceId: string): PlatformError {
  return new PlatformError('unavailable', `workspace ${workspaceId} is not owned here`, {
    reason: 'not_owner',
  })
}
