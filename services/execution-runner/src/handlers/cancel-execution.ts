import { commandIdOf } from '@sciencediscovery/event-store'
import {
  type CancelExecutionRequest,
  type CancelExecutionResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { isPlatformError } from '@sciencediscovery/kernel'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Call, type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { lookUp } from '../domain/workspace/keyed.js'
import { type WorkspaceState } from '../domain/workspace/state.js'
import { type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { executionIdField } from './start-execution.js'
import { toExecution } from './to-execution.js'
import { waitForEnd } from './wait-for-end.js'

const RequestSchema = z.strictObject({
  projectId: z.string(),
  workspaceId: z.string(),
  runnerId: z.string(),
  executionId: executionIdField,
  reason: z.enum(['cancelled', 'timed_out'], 'send cancelled or timed_out'),
})
type Request = z.output<typeof RequestSchema>

/** Long enough for a kill, a small snapshot and a commit. */
const endWaitMs = 5_000

/** Records that the execution shall end, at any replica; the owner ends its process tree. */
export function cancelExecution(
  ctx: Context,
  way: Way,
): Unary<CancelExecutionRequest, CancelExecutionResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(request, ctx.here.pool)
    const state = await requestCancel(ctx, request)
    const { workspaceId, executionId } = request
    const known = lookUp(state.executions, executionId)
    if (!known) return { execution: undefined }
    if (known.status === 'running') {
      const ended = await endAtOwner(ctx, { request, message, call, way, state })
      if (ended) return ended
    }
    return { execution: await toExecution(ctx, workspaceId, known) }
  }
}

async function requestCancel(ctx: Context, request: Request): Promise<WorkspaceState> {
  const { workspaceId, executionId, reason } = request
  const { folded } = await ctx.workspaces.handle(
    workspaceSubject(workspaceId),
    {
      type: 'CancelExecution',
      ...{ workspaceId, executionId, reason },
      pool: ctx.here.pool,
      at: new Date(ctx.here.clock()).toISOString(),
    },
    {
      commandId: commandIdOf('cancel', executionId, reason),
      causationId: executionId,
      correlationId: executionId,
    },
  )
  return folded.state
}

interface Running {
  readonly request: Request
  readonly message: CancelExecutionRequest
  readonly call: Call
  readonly way: Way
  readonly state: WorkspaceState
}

/** undefined when its owner cannot be reached: then the next claim settles the execution. */
async function endAtOwner(
  ctx: Context,
  { request, message, call, way, state }: Running,
): Promise<CancelExecutionResponse | undefined> {
  const { workspaceId, executionId } = request
  const owned = ctx.owned.find(workspaceId)
  if (owned) {
    if (owned.live?.executionId === executionId) owned.live.kill()
    const wait = { executionId, waitMs: endWaitMs, signal: call.signal }
    return { execution: await toExecution(ctx, workspaceId, await waitForEnd(ctx, owned, wait)) }
  }
  const { ownership } = state
  if (way === 'forwarded' || ownership.status !== 'owned') return undefined
  try {
    const peer = ctx.peers.executions(ownership.address)
    return await peer.cancelExecution(message, { signal: call.signal })
  } catch (error) {
    if (isPlatformError(error) && error.code === 'unavailable') return undefined
    throw error
  }
}
