import { type AggregateType } from '@sciencediscovery/event-store'
import { type TransferCommand } from './domain/transfer/commands.js'
import { transferDecider } from './domain/transfer/decider.js'
import { type TransferEvent, TransferEventSchema } from './domain/transfer/events.js'
import { type TransferState } from './domain/transfer/state.js'

/** How transfers are stored. */
export const transferType: AggregateType<TransferState, TransferCommand, TransferEvent> = {
  decider: transferDecider,
  parse: (event) => TransferEventSchema.parse(event),
  record: (event) => event,
}
