import {
  type ReadOutputRequest,
  type ReadOutputResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { type Call, type ServerStream } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type OutputPiece, type OutputRange } from '../output.js'
import { type LiveExecution } from '../owned-workspaces.js'
import { type Way } from './on-owner.js'
import { checkPlace, parseRequest, sizeNumber } from './parse-request.js'
import { executionIdField } from './start-execution.js'
import { findExecution } from './wait-for-end.js'

const RequestSchema = z.strictObject({
  projectId: z.string(),
  workspaceId: z.string(),
  runnerId: z.string(),
  executionId: executionIdField,
  stream: z.enum(['stdout', 'stderr'], 'send stdout or stderr'),
  offset: sizeNumber,
  length: sizeNumber,
  follow: z.boolean(),
})

/** Sends output: of a running execution from its owner's disk, of an ended one from the blob store. */
export function readOutput(
  ctx: Context,
  way: Way,
): ServerStream<ReadOutputRequest, ReadOutputResponse> {
  return async function* (message, call) {
    const request = parseRequest(RequestSchema, message)
    checkPlace(request, ctx.here.pool)
    const { workspaceId, executionId, follow } = request
    const range: OutputRange = request
    const live = liveHere(ctx, workspaceId, executionId)
    if (live) {
      yield* follow ? followLive(live, range, call) : toMessages(live.recorder.read(range))
      return
    }
    const found = await findExecution(ctx, workspaceId, executionId)
    if (found.status === 'ended') {
      yield* toMessages(ctx.machine.outputs.read(found.output, range))
      return
    }
    const { ownership } = (await ctx.workspaces.load(workspaceSubject(workspaceId))).state
    if (way === 'direct' && ownership.status === 'owned' && found.status === 'running') {
      yield* ctx.peers.executions(ownership.address).readOutput(message, { signal: call.signal })
    }
  }
}

function liveHere(
  ctx: Context,
  workspaceId: string,
  executionId: string,
): LiveExecution | undefined {
  const live = ctx.owned.find(workspaceId)?.live
  return live?.executionId === executionId ? live : undefined
}

async function* followLive(
  { recorder }: LiveExecution,
  { stream, offset, length }: OutputRange,
  call: Call,
): AsyncGenerator<ReadOutputResponse> {
  const endOffset = length === 0 ? Number.MAX_SAFE_INTEGER : offset + length
  let at = offset
  for (;;) {
    const changed = recorder.changed(call.signal)
    const wasEnded = recorder.ended
    const rest = length === 0 ? 0 : endOffset - at
    for await (const piece of recorder.read({ stream, offset: at, length: rest })) {
      at = piece.offset + piece.content.length
      yield toMessage(piece)
    }
    if (wasEnded || at >= endOffset || call.signal.aborted) return
    await changed
  }
}

async function* toMessages(pieces: AsyncIterable<OutputPiece>): AsyncGenerator<ReadOutputResponse> {
  for await (const piece of pieces) yield toMessage(piece)
}

function toMessage({ offset, content }: OutputPiece): ReadOutputResponse {
  return { offset: BigInt(offset), content: Buffer.from(content) }
}
