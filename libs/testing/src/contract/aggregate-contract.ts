import {
  type Aggregates,
  type CommandMeta,
  type EventPorts,
  createAggregates,
} from '@sciencediscovery/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, collect } from '../commits.js'
import { type CounterCommand, type CounterState, counterLimit, counterType } from '../counter.js'
import { fixedClock } from '../fixed-clock.js'
import { type CurrentWorld, disconnect } from './store-world.js'

const add = (amount: number): CounterCommand => ({ type: 'Add', amount })
const meta = (commandId: string): CommandMeta => ({
  commandId,
  causationId: 'request-1',
  correlationId: 'run-1',
})

/** Commands on a real backend: concurrency, repeats, refusals. */
export function aggregateContract(world: CurrentWorld): void {
  describe('aggregates', () => {
    let clients: EventPorts[]
    let replicas: Aggregates<CounterState, CounterCommand>[]
    beforeAll(async () => {
      clients = [await world().connect(), await world().connect()]
      replicas = clients.map(({ store }, index) =>
        createAggregates(counterType, { store, clock: fixedClock(), writer: `replica-${index}` }),
      )
    })
    afterAll(() => disconnect(...clients))
    const replica = (index: number): Aggregates<CounterState, CounterCommand> => {
      const found = replicas[index % replicas.length]
      if (!found) throw new Error('no replica')
      return found
    }

    test('retry after conflict: every command of two replicas at once is done exactly once', async () => {
      const subject = 'runs.1.p1.contended'
      const ids = Array.from({ length: 40 }, (_, index) => `command-${index}`)
      const handled = await Promise.all(
        ids.map((id, index) => replica(index).handle(subject, add(1), meta(id))),
      )
      expect(handled.every((outcome) => outcome.commit !== undefined)).toBe(true)
      const folded = await replica(0).load(subject)
      expect(folded).toMatchObject({ state: { total: 40 }, version: 40, position: 40 })
      const store = clients[1]?.store
      const commits = store
        ? await collect(store.read(subject, { upToSequence: folded.sequence }))
        : []
      expect(commits.map(({ commit }) => commit.commandId).sort()).toEqual([...ids].sort())
    })

    test('a command repeated long after is answered from the stream, by any replica', async () => {
      const subject = 'sessions.p1.repeated'
      const first = await replica(0).handle(subject, add(5), meta('first'))
      for (let index = 0; index < 10; index += 1)
        await replica(1).handle(subject, add(1), meta(`later-${index}`))
      for (const index of [0, 1]) {
        const again = await replica(index).handle(subject, add(5), meta('first'))
        expect(again).toMatchObject({
          repeated: true,
          commit: { commit: { commitId: first.commit?.commit.commitId } },
        })
        expect(again.folded.state.total).toBe(15)
      }
    })

    test('a kept state that is behind decides nothing: neither a change, nor none, nor a refusal', async () => {
      const subject = 'sessions.p1.behind'
      await replica(0).handle(subject, add(1), meta('a'))
      await replica(1).handle(subject, add(counterLimit - 1), meta('b'))
      expect(await codeOf(replica(0).handle(subject, add(1), meta('c')))).toBe('refused')
      const unchanged = await replica(0).handle(subject, { type: 'RaiseTo', total: 5 }, meta('d'))
      expect(unchanged).toMatchObject({
        commit: undefined,
        repeated: false,
        folded: { state: { total: counterLimit } },
      })
    })

    test('what a kept state that is behind would refuse is asked of the last commit', async () => {
      const subject = 'sessions.p1.would-refuse'
      await replica(0).handle(subject, add(1), meta('a'))
      await replica(1).handle(subject, add(9), meta('b'))
      const { folded } = await replica(0).handle(subject, { type: 'Take', amount: 10 }, meta('c'))
      expect(folded.state.total).toBe(0)
    })

    test('what a kept state that is behind would call done already is asked of the last commit', async () => {
      const subject = 'sessions.p1.would-change-nothing'
      await replica(0).handle(subject, add(5), meta('a'))
      await replica(1).handle(subject, { type: 'Take', amount: 3 }, meta('b'))
      const raised = await replica(0).handle(subject, { type: 'RaiseTo', total: 5 }, meta('c'))
      expect(raised).toMatchObject({ repeated: false, folded: { state: { total: 5 }, version: 3 } })
    })

    test('a state at least up to a sequence is read without asking for the last', async () => {
      const subject = 'runs.3.p1.at-least'
      const { commit } = await replica(0).handle(subject, add(3), meta('a'))
      const folded = await replica(1).load(subject, commit?.sequence ?? 0)
      expect(folded).toMatchObject({ state: { total: 3 }, version: 1, sequence: commit?.sequence })
    })
  })
}
