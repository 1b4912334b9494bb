import {
  type WaitExecutionRequest,
  type WaitExecutionResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { onOwner, type Way } from './on-owner.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { executionIdField, waitField } from './start-execution.js'
import { toExecution } from './to-execution.js'
import { findExecution, waitForEnd } from './wait-for-end.js'

const RequestSchema = z.strictObject({
  projectId: z.string(),
  workspaceId: z.string(),
  runnerId: z.string(),
  executionId: executionIdField,
  waitMs: waitField,
})

/** Waits for the end of an execution. What has ended is answered from the stream, wherever the files are. */
export function waitExecution(
  ctx: Context,
  way: Way,
): Unary<WaitExecutionRequest, WaitExecutionResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(request, ctx.here.pool)
    const { workspaceId, executionId, waitMs } = request
    const known = await findExecution(ctx, workspaceId, executionId)
    if (known.status === 'ended') return { execution: await toExecution(ctx, workspaceId, known) }
    return onOwner(ctx, {
      ...{ workspaceId, call, way },
      local: async (owned) => {
        const found = await waitForEnd(ctx, owned, { executionId, waitMs, signal: call.signal })
        return { execution: await toExecution(ctx, workspaceId, found) }
      },
      forward: (address, signal) =>
        ctx.peers
          .executions(address)
          .waitExecution(message, { signal, timeoutMs: waitMs + 30_000 }),
    })
  }
}
