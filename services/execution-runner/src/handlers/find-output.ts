import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Context } from '../context.js'
import { type StoredOutput } from '../domain/workspace/events.js'
import { type Execution } from '../domain/workspace/state.js'
import { type LiveExecution } from '../owned-workspaces.js'
import { findExecution } from './wait-for-end.js'

/** Where the output of an execution is. */
export interface FoundOutput {
  readonly execution: Execution
  /** It runs here. */
  readonly live: LiveExecution | undefined
  /** What is stored of it: all when it ended. */
  readonly stored: StoredOutput | undefined
  /** The other replica where it runs. */
  readonly ownerAddress: string | undefined
}

/** Looks for the output: here while it runs, in the stream once it ended, else at the owner. */
export async function findOutput(
  ctx: Context,
  { workspaceId, executionId }: { readonly workspaceId: string; readonly executionId: string },
): Promise<FoundOutput> {
  const execution = await findExecution(ctx, workspaceId, executionId)
  const none = { execution, live: undefined, stored: undefined, ownerAddress: undefined }
  switch (execution.status) {
    case 'queued':
      return none
    case 'ended':
      return { ...none, stored: execution.output }
    case 'running':
      break
  }
  const live = ctx.owned.find(workspaceId)?.live
  const stored = execution.recorded
  if (live?.executionId === executionId) return { ...none, live, stored }
  const { ownership } = (await ctx.workspaces.load(workspaceSubject(workspaceId))).state
  const elsewhere = ownership.status === 'owned' && ownership.replicaId !== ctx.here.replicaId
  return { ...none, stored, ownerAddress: elsewhere ? ownership.address : undefined }
}
