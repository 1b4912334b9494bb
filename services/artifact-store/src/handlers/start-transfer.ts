import { createHash } from 'node:crypto'
import { commandIdOf } from '@sciencediscovery/event-store'
import { invalid, isPlatformError, notFound, PlatformError } from '@sciencediscovery/kernel'
import {
  type StartTransferRequest,
  type StartTransferResponse,
} from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { projectOfSession, transferSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type TransferOrder } from '../domain/transfer/commands.js'
import { bornOf } from '../domain/transfer/state.js'
import { KeySchema, parseRequest } from './parse-request.js'
import { toTransfer } from './to-transfer.js'
import { transferEffects, waitForEnd } from './transfer-facts.js'
import {
  ownWorkspace,
  parseTransferPath,
  TransferActorSchema,
  transferIdOf,
} from './transfer-request.js'

const mostFiles = 50

const RequestSchema = z.object({
  effectKey: KeySchema,
  actor: TransferActorSchema,
  sourceWorkspaceId: z.string().max(200, 'is longer than 200 characters'),
  targetWorkspaceId: z.string().max(200, 'is longer than 200 characters'),
  files: z
    .array(z.object({ sourcePath: z.string(), targetPath: z.string() }))
    .min(1, `is empty; send 1 to ${mostFiles} files`)
    .max(mostFiles, `are more than ${mostFiles}; send several transfers`),
  conflict: z.union([z.literal(0), z.literal(1), z.literal(2)], {
    error: 'is not reject or overwrite',
  }),
  waitMs: z.number().int().min(0, 'is negative').max(30_000, 'is more than 30000'),
})
type Request = z.output<typeof RequestSchema>

/** StartTransfer: records what is to be copied; the copying goes on by itself (S-12). */
export function startTransfer(ctx: Context): Unary<StartTransferRequest, StartTransferResponse> {
  return async (message, call) => {
    const request = parseRequest(RequestSchema, message)
    const order = toOrder(request)
    const { projectId } = request.actor
    const subject = transferSubject(projectId, order.transferId)
    const { folded } = await queue(ctx, { subject, order, request, signal: call.signal })
    if (!bornOf(folded.state)) throw notFound(`transfer ${order.transferId}`)
    const born = await waitForEnd(ctx, subject, { waitMs: request.waitMs, signal: call.signal })
    const effects = await transferEffects(ctx, subject, call.signal)
    return { transfer: toTransfer(born), effects: [...effects] }
  }
}

async function queue(
  ctx: Context,
  asked: {
    readonly subject: string
    readonly order: TransferOrder
    readonly request: Request
    readonly signal: AbortSignal
  },
): ReturnType<Context['transfers']['handle']> {
  const { subject, order, request, signal } = asked
  const at = new Date(ctx.here.clock()).toISOString()
  try {
    return await ctx.transfers.handle(
      subject,
      { type: 'QueueTransfer', order, at },
      {
        commandId: commandIdOf(request.actor.projectId, 'StartTransfer', request.effectKey),
        requestDigest: createHash('sha256').update(JSON.stringify(order)).digest('hex'),
        causationId: order.callId || request.effectKey,
        correlationId: order.runId ?? request.effectKey,
        signal,
      },
    )
  } catch (error) {
    if (!isPlatformError(error) || error.details.reason !== 'idempotency_key_reused') throw error
    throw new PlatformError('already_exists', 'effect_key: was used for another transfer', {
      ...{ field: 'effect_key', reason: 'effect_key_reused', cause: error },
      remedy: 'send a new key with a new transfer, or the same transfer again',
    })
  }
}

function toOrder({ actor, files, effectKey, conflict, ...request }: Request): TransferOrder {
  if (projectOfSession(actor.sessionId) !== actor.projectId)
    throw invalid('actor.session_id', 'belongs to another project')
  const { sessionId, agentId, callId, runId } = actor
  const paths = files.map(({ sourcePath, targetPath }, index) => ({
    sourcePath: parseTransferPath(`files[${index}].source_path`, sourcePath),
    targetPath: parseTransferPath(`files[${index}].target_path`, targetPath),
  }))
  refuseTwins(paths.map(({ targetPath }) => targetPath))
  return {
    transferId: transferIdOf(actor, effectKey),
    sourceWorkspaceId: ownWorkspace('source_workspace_id', request.sourceWorkspaceId, actor),
    workspaceId: ownWorkspace('target_workspace_id', request.targetWorkspaceId, actor),
    ...{ sessionId, agentId, callId },
    ...(runId === '' ? {} : { runId }),
    conflict: conflict === 2 ? 'overwrite' : 'reject',
    files: paths,
  }
}

function refuseTwins(targets: readonly string[]): void {
  const twin = targets.findIndex((path, index) => targets.indexOf(path) < index)
  if (twin === -1) return
  const path = JSON.stringify(targets[twin])
  throw invalid(
    `files[${twin}].target_path`,
    `${path} is the target of two files`,
    'send each once',
  )
}
