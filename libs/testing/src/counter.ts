import { type Decider, exhaustive, invalid, refused } from '@sciencediscovery/kernel'
import { type AggregateType } from '@sciencediscovery/event-store'
import { z } from 'zod'

const AddedSchema = z.object({
  type: z.literal('counter.added'),
  v: z.literal(1),
  data: z.object({ amount: z.number() }),
})

const TakenSchema = z.object({
  type: z.literal('counter.taken'),
  v: z.literal(1),
  data: z.object({ amount: z.number() }),
})

const CounterEventSchema = z.discriminatedUnion('type', [AddedSchema, TakenSchema])

/** What happens to a counter. */
export type CounterEvent = z.infer<typeof CounterEventSchema>

/** What a counter is asked. */
export type CounterCommand =
  | { readonly type: 'Add'; readonly amount: number }
  | { readonly type: 'RaiseTo'; readonly total: number }
  | { readonly type: 'Take'; readonly amount: number }

export interface CounterState {
  readonly total: number
}

/** No counter goes beyond it. */
export const counterLimit = 1_000_000

/** The smallest decider that can change something, change nothing, and refuse. */
export const counterDecider: Decider<CounterState, CounterCommand, CounterEvent> = {
  initialState: () => ({ total: 0 }),
  decide: (command, state) => {
    switch (command.type) {
      case 'Add':
        return added(state, command.amount)
      case 'RaiseTo':
        return state.total >= command.total ? [] : added(state, command.total - state.total)
      case 'Take':
        if (state.total < command.amount) throw refused(`there are only ${state.total}`)
        return [{ type: 'counter.taken', v: 1, data: { amount: command.amount } }]
      default:
        return exhaustive(command)
    }
  },
  evolve: (state, event) => {
    const sign = event.type === 'counter.added' ? 1 : -1
    return { total: state.total + sign * event.data.amount }
  },
}

/** The counter as an aggregate. */
export const counterType: AggregateType<CounterState, CounterCommand, CounterEvent> = {
  decider: counterDecider,
  parse: (event) => CounterEventSchema.parse(event),
  record: (event) => event,
}

function added(state: CounterState, amount: number): readonly CounterEvent[] {
  if (!Number.isSafeInteger(amount) || amount <= 0)
    throw invalid('amount', 'not a positive whole number')
  if (state.total + amount > counterLimit) throw refused(`the counter ends at ${counterLimit}`)
  return [{ type: 'counter.added', v: 1, data: { amount } }]
}
