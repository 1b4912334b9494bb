import {
  ToolCallCompletedSchema,
  ToolCallFailedSchema,
  ToolCallRequestedSchema,
  ToolCallSupersededSchema,
} from '@sciencediscovery/run-events'
import { type PlacedEvent } from './placed-event.js'

/** What an event says of a tool call. */
export interface CallEvent {
  readonly callId: string
  readonly name: string
  readonly outcome: 'open' | 'completed' | 'error' | 'failed' | 'superseded'
}

/** The beginning or end of a tool call; undefined for every other event. */
export function callEventOf(placed: PlacedEvent): CallEvent | undefined {
  switch (placed.type) {
    case 'tool.call.requested':
      return { ...named(ToolCallRequestedSchema.parse(placed).data), outcome: 'open' }
    case 'tool.call.completed': {
      const { data } = ToolCallCompletedSchema.parse(placed)
      return { ...named(data), outcome: data.isError ? 'error' : 'completed' }
    }
    case 'tool.call.failed':
      return { ...named(ToolCallFailedSchema.parse(placed).data), outcome: 'failed' }
    case 'tool.call.superseded':
      return { ...named(ToolCallSupersededSchema.parse(placed).data), outcome: 'superseded' }
    default:
      return undefined
  }
}

function named({
  callId,
  name,
}: Pick<CallEvent, 'callId' | 'name'>): Pick<CallEvent, 'callId' | 'name'> {
  return { callId, name }
}
