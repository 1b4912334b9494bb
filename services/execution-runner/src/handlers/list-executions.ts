import {
  type ListExecutionsRequest,
  type ListExecutionsResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { valuesOf } from '../domain/workspace/keyed.js'
import { checkPlace, parseRequest } from './parse-request.js'
import { toExecution } from './to-execution.js'

const RequestSchema = z.strictObject({
  projectId: z.string(),
  workspaceId: z.string(),
  runnerId: z.string(),
  limit: z.number().int().min(0, 'send 0 to 200').max(200, 'send 0 to 200'),
})

/** The executions of a workspace, newest first, from its stream. */
export function listExecutions(ctx: Context): Unary<ListExecutionsRequest, ListExecutionsResponse> {
  return async (message) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(request, ctx.here.pool)
    const { workspaceId, limit } = request
    const { state } = await ctx.workspaces.load(workspaceSubject(workspaceId))
    const found = valuesOf(state.executions)
    found.sort((one, other) => (one.queuedAt < other.queuedAt ? 1 : -1))
    const page = found.slice(0, limit === 0 ? 50 : limit)
    const executions = await Promise.all(page.map((one) => toExecution(ctx, workspaceId, one)))
    return { executions }
  }
}
