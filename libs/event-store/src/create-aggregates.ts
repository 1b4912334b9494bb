import { type Clock } from '@sciencediscovery/kernel'
import { type AggregateType, type Aggregates } from './aggregate.js'
import { type EventStore } from './event-store.js'
import { CommandHandler } from './command-handler.js'
import { sequenceBefore } from './fold.js'
import { StateReader } from './state-reader.js'
import { type Timers, systemTimers } from './timers.js'

/** What the aggregates of a kind are built from. */
export interface AggregatesOptions {
  readonly store: EventStore
  readonly clock: Clock
  /** The replica: named in every commit it appends. */
  readonly writer: string
  /** Budget of the state cache. Default 64 MiB. */
  readonly cacheBytes?: number
  /** For jitter, 0 ≤ x < 1. Default Math.random. */
  readonly random?: () => number
  readonly timers?: Timers
}

/** Commands and reads of one kind of aggregate, over its cached states. */
export function createAggregates<State, Command, Event>(
  type: AggregateType<State, Command, Event>,
  options: AggregatesOptions,
): Aggregates<State, Command> {
  const reader = new StateReader(type, options.store, options.cacheBytes ?? 64 * 1024 * 1024)
  const handler = new CommandHandler(type, reader, {
    store: options.store,
    clock: options.clock,
    writer: options.writer,
    random: options.random ?? Math.random,
    timers: options.timers ?? systemTimers,
  })
  return {
    handle: (subject, command, meta) => handler.handle(subject, command, meta),
    load: async (subject, atLeastSequence) => (await reader.load(subject, atLeastSequence)).folded,
    sequenceBefore: async (subject, position) =>
      sequenceBefore(await reader.load(subject, undefined), position),
    eventsFolded: () => reader.eventsFolded,
  }
}
