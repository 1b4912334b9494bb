import { invalid } from '@sciencediscovery/kernel'
import {
  type ListTransfersRequest,
  type ListTransfersResponse,
} from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { transferSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { z } from 'zod'
import { type Context } from '../context.js'
import { bornOf } from '../domain/transfer/state.js'
import { type TransferPlace, transfersOfAgent } from '../projections/transfer-queries.js'
import { pageSizeOf, parseRequest } from './parse-request.js'
import { toTransfer } from './to-transfer.js'
import { TransferActorSchema } from './transfer-request.js'

const mostTransfers = 50
const usualTransfers = 20

const RequestSchema = z.object({
  actor: TransferActorSchema,
  pageSize: z.number().int(),
  pageToken: z.string().max(200, 'is longer than 200 characters'),
})

/** ListTransfers: what the agent asked for, newest first, each as its stream has it (S-13). */
export function listTransfers(ctx: Context): Unary<ListTransfersRequest, ListTransfersResponse> {
  return async (message, call) => {
    const { actor, pageSize, pageToken } = parseRequest(RequestSchema, message)
    const { projectId } = actor
    const limit = pageSizeOf(pageSize || usualTransfers, mostTransfers, 'page_size')
    const before = pageToken === '' ? undefined : parseToken(pageToken)
    await ctx.views.catchUpWithAll('transfers', call.signal)
    const places = await transfersOfAgent(ctx.db, actor, { before, limit: limit + 1 })
    const page = places.slice(0, limit)
    const states = await Promise.all(
      page.map(({ transfer_id: id }) => ctx.transfers.load(transferSubject(projectId, id))),
    )
    const transfers = states.flatMap(({ state }) => {
      const born = bornOf(state)
      return born ? [toTransfer(born)] : []
    })
    const last = places.length > limit ? page.at(-1) : undefined
    return { transfers, nextPageToken: last ? `${last.queued_at} ${last.transfer_id}` : '' }
  }
}

function parseToken(token: string): TransferPlace {
  const [queued_at = '', transfer_id, ...more] = token.split(' ')
  if (transfer_id !== undefined && more.length === 0) return { queued_at, transfer_id }
  throw invalid('page_token', 'is none of a page before', 'send next_page_token as it came')
}
