import { isPlatformError } from '@sciencediscovery/kernel'
import { type Context, type ViewName } from '../context.js'

/** What the runs say must be there; a view of other streams that is behind is named in the answer. */
export async function provenanceCaughtUp(
  ctx: Context,
  minPosition: string,
  signal: AbortSignal,
): Promise<readonly ViewName[]> {
  const others = ['artifacts', 'workspace_provenance', 'transfers'] as const
  const ofRuns = ['run_provenance', 'provenance_uses'] as const
  const [behind] = await Promise.all([
    Promise.all(others.map((view) => behindOrNot(ctx, view, minPosition, signal))),
    ...ofRuns.map((view) => ctx.views.catchUp(view, minPosition, signal)),
  ])
  return behind.flat()
}

async function behindOrNot(
  ctx: Context,
  view: ViewName,
  minPosition: string,
  signal: AbortSignal,
): Promise<readonly ViewName[]> {
  try {
    await ctx.views.catchUp(view, minPosition, signal)
    return []
  } catch (error) {
    if (isPlatformError(error) && error.code === 'unavailable') return [view]
    throw error
  }
}
