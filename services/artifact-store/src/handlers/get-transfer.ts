import { notFound } from '@sciencediscovery/kernel'
import {
  type GetTransferRequest,
  type GetTransferResponse,
} from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { transferSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { type BornTransfer, bornOf } from '../domain/transfer/state.js'
import { parseRequest } from './parse-request.js'
import { toTransfer } from './to-transfer.js'
import { parseTransferId, type TransferActor, TransferActorSchema } from './transfer-request.js'

const RequestSchema = z.object({ actor: TransferActorSchema, transferId: z.string() })

/** GetTransfer: one transfer of the agent (S-14). */
export function getTransfer(ctx: Context): Unary<GetTransferRequest, GetTransferResponse> {
  return async (message) => {
    const { actor, transferId } = parseRequest(RequestSchema, message)
    return { transfer: toTransfer(await ownTransfer(ctx, actor, parseTransferId(transferId))) }
  }
}

/** The transfer when the agent asked for it; that of another looks like none. */
export async function ownTransfer(
  ctx: Context,
  { projectId, agentId }: TransferActor,
  transferId: string,
): Promise<BornTransfer> {
  const { state } = await ctx.transfers.load(transferSubject(projectId, transferId))
  const born = bornOf(state)
  if (born?.order.agentId === agentId) return born
  throw notFound(`transfer ${JSON.stringify(transferId)}`)
}
