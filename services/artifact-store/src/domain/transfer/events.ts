import {
  defineEvent,
  TimeSchema,
  transferSchemas,
  WorkspaceChangedSchema,
} from '@sciencediscovery/run-events'
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

/**
 * Everything that can happen to a transfer: what its run records, and who works on it. What a put changed in the
 * target is told with the file, so that a run never knows of one without the other.
 */
export const TransferEventSchema = z.discriminatedUnion('type', [
  TransferAttemptStartedSchema,
  WorkspaceChangedSchema,
  ...transferSchemas,
])
export type TransferEvent = z.infer<typeof TransferEventSchema>
