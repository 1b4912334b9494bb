import { type EventStore } from './event-store.js'
import { type Signals } from './signals.js'
import { type WorkQueue } from './work-queue.js'

/** The three ports that a service gets from one backend. */
export interface EventPorts {
  readonly store: EventStore
  readonly queue: WorkQueue
  readonly signals: Signals
}
