import { commandIdOf } from '@sciencediscovery/event-store'
import { invalid } from '@sciencediscovery/kernel'
import {
  type CancelTransferRequest,
  type CancelTransferResponse,
} from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { transferSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { bornOf } from '../domain/transfer/state.js'
import { ownTransfer } from './get-transfer.js'
import { parseRequest } from './parse-request.js'
import { toTransfer } from './to-transfer.js'
import {
  parseTransferId,
  type TransferActor,
  TransferActorSchema,
  transferIdOf,
} from './transfer-request.js'

const RequestSchema = z.object({
  actor: TransferActorSchema,
  transferId: z.string(),
  effectKey: z.string().max(512, 'is longer than 512 characters'),
})

/** CancelTransfer: asks for the end; what is at its target stays, what has ended stays as it is (S-15). */
export function cancelTransfer(ctx: Context): Unary<CancelTransferRequest, CancelTransferResponse> {
  return async (message, call) => {
    const { actor, ...asked } = parseRequest(RequestSchema, message)
    const transferId = await idOf(ctx, actor, asked)
    const { projectId, callId, runId } = actor
    // A mark against one that never came is no fact of a run.
    const asker = { transferId, callId, workspaceId: '' }
    const at = new Date(ctx.here.clock()).toISOString()
    const { folded } = await ctx.transfers.handle(
      transferSubject(projectId, transferId),
      { type: 'CancelTransfer', asker, at },
      {
        commandId: commandIdOf(projectId, 'CancelTransfer', transferId),
        ...{ causationId: callId || transferId, correlationId: runId || transferId },
        signal: call.signal,
      },
    )
    const born = bornOf(folded.state)
    return { transfer: born && toTransfer(born) }
  }
}

async function idOf(
  ctx: Context,
  actor: TransferActor,
  { transferId, effectKey }: { readonly transferId: string; readonly effectKey: string },
): Promise<string> {
  if ((transferId === '') === (effectKey === ''))
    throw invalid('transfer_id', 'or effect_key: send one of them')
  if (effectKey !== '') return transferIdOf(actor, effectKey)
  return (await ownTransfer(ctx, actor, parseTransferId(transferId))).order.transferId
}
