import { defineEvent, TimeSchema, transferSchemas } from '@sciencediscovery/run-events'
import { z } from 'zod'

/** A replica took the transfer up; whoever had it before is refused from here on. */
export const TransferAttemptStartedSchema = defineEvent(
  'transfer.attempt.started',
  1,
  z.object({
    transferId: z.string(),
    attempt: z.number().int().positive(),
    replicaId: z.string(),
    at: TimeSchema,
  }),
)

/** Everything that can happen to a transfer: what its run records, and who works on it. */
export const TransferEventSchema = z.discriminatedUnion('type', [
  TransferAttemptStartedSchema,
  ...transferSchemas,
])
export type TransferEvent = z.infer<typeof TransferEventSchema>
