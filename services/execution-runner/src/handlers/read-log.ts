import {
  type ReadLogRequest,
  type ReadLogResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { isPlatformError } from '@sciencediscovery/kernel'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type LogPage } from '../output.js'
import { type Way } from './on-owner.js'
import { findOutput } from './find-output.js'
import { checkPlace, parseRequest, sizeNumber } from './parse-request.js'
import { executionIdField } from './start-execution.js'
import { runningMs, stateOf } from './to-execution.js'

const mostChunks = 200
const usualChunks = 4

const RequestSchema = z.strictObject({
  projectId: z.string(),
  workspaceId: z.string(),
  runnerId: z.string(),
  executionId: executionIdField,
  cursor: sizeNumber,
  limit: z.number().int().min(0, 'send 0 to 200').max(mostChunks, 'send 0 to 200'),
  byLine: z.boolean(),
})

/** A page of the log: of a running execution from its owner's disk, of an ended one from the blob store. */
export function readLog(ctx: Context, way: Way): Unary<ReadLogRequest, ReadLogResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    checkPlace(request, ctx.here.pool)
    const { cursor, byLine } = request
    const range = { cursor, byLine, limit: request.limit === 0 ? usualChunks : request.limit }
    const { execution, live, stored, ownerAddress } = await findOutput(ctx, request)
    if (ownerAddress !== undefined && way === 'direct') {
      try {
        return await ctx.peers.executions(ownerAddress).readLog(message, { signal: call.signal })
      } catch (error) {
        // The owner is gone: what it had recorded is still there.
        if (!isPlatformError(error) || error.code !== 'unavailable') throw error
      }
    }
    const page = await (live ? live.recorder.log(range) : ctx.machine.outputs.log(stored, range))
    const state = stateOf(execution)
    return { ...toMessage(page), state, runningMs: runningMs(ctx, execution) }
  }
}

function toMessage({
  chunks,
  nextCursor,
  ...page
}: LogPage): Omit<ReadLogResponse, 'state' | 'runningMs'> {
  return {
    ...page,
    chunks: chunks.map(({ cursor, ...chunk }) => ({ ...chunk, cursor: BigInt(cursor) })),
    nextCursor: BigInt(nextCursor),
  }
}
