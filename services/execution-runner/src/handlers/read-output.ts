import {
  type ReadOutputRequest,
  type ReadOutputResponse,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { type Call, delay, type ServerStream } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type OutputPiece, type OutputRange } from '../output.js'
import { type LiveExecution } from '../owned-workspaces.js'
import { findOutput } from './find-output.js'
import { type Way } from './on-owner.js'
import { checkPlace, parseRequest, sizeNumber } from './parse-request.js'
import { executionIdField } from './start-execution.js'

const startLookMs = 100

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
    const range: OutputRange = request
    if (request.follow && way === 'direct') await untilStarted(ctx, request, call)
    const { live, stored, ownerAddress } = await findOutput(ctx, request)
    if (live) {
      yield* request.follow ? followLive(live, range, call) : toMessages(live.recorder.read(range))
      return
    }
    if (ownerAddress !== undefined && way === 'direct') {
      yield* ctx.peers.executions(ownerAddress).readOutput(message, { signal: call.signal })
      return
    }
    yield* toMessages(ctx.machine.outputs.read(stored, range))
  }
}

/** Whoever follows an execution that waits for its turn, or for its first process, follows its beginning too. */
async function untilStarted(
  ctx: Context,
  place: { readonly workspaceId: string; readonly executionId: string },
  { signal }: Call,
): Promise<void> {
  for (;;) {
    const { execution, live, ownerAddress } = await findOutput(ctx, place)
    if (execution.status === 'ended' || live || ownerAddress !== undefined) return
    await delay(startLookMs, signal)
  }
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
