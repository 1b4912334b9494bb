import { type Delivery, type EventPorts } from '@sciencediscovery/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appendRow } from '../commits.js'
import { until } from '../until.js'
import { type CurrentWorld, disconnect } from './store-world.js'

type Seen = Pick<Delivery, 'sequence' | 'attempt' | 'exhausted'>

/** Reactor groups: from the end, shared, again after a failure, told when to give up. */
export function reactorContract(world: CurrentWorld): void {
  describe('reactors', () => {
    let one: EventPorts
    let other: EventPorts
    beforeAll(async () => {
      one = await world().connect()
      other = await world().connect()
    })
    afterAll(() => disconnect(one, other))
    const group = (name: string, slots: number, maxAttempts = 10) => {
      return {
        name: `contract-${name}`,
        noun: 'tools',
        slots,
        maxAttempts,
        ackWaitMs: world().ackWaitMs,
      }
    }

    test('a new group starts at the end; its members share the deliveries; each commit comes once', async () => {
      const subject = 'tools.p1.shared'
      await appendRow(one.store, subject, 3)
      const seen: number[] = []
      const handler = (delivery: Delivery): Promise<void> =>
        Promise.resolve(void seen.push(delivery.sequence))
      await using left = await one.store.react(group('shared', 2), handler)
      await using right = await other.store.react(group('shared', 2), handler)
      expect([left, right]).toHaveLength(2)
      const row = await appendRow(one.store, subject, 30)
      await until('all are delivered', () => seen.length >= 30)
      expect([...seen].sort((a, b) => a - b)).toEqual(row.map((stored) => stored.sequence))
    })

    test('redelivery: a handler that throws gets the commit again with the next attempt', async () => {
      const seen: Seen[] = []
      await using member = await one.store.react(group('again', 1), (delivery) => {
        seen.push(pick(delivery))
        return delivery.attempt < 3 ? Promise.reject(new Error('not yet')) : Promise.resolve()
      })
      expect(member).toBeDefined()
      const [stored] = await appendRow(one.store, 'tools.p1.again', 1)
      await until('the third attempt', () => seen.length >= 3)
      const sequence = stored?.sequence
      expect(seen).toEqual([1, 2, 3].map((attempt) => ({ sequence, attempt, exhausted: false })))
    })

    test('poison: past the limit the handler is told, and deliveries of others go on meanwhile', async () => {
      const seen: Seen[] = []
      await using member = await one.store.react(group('poison', 2, 2), (delivery) => {
        if (delivery.commit.subject !== 'tools.p1.poison') return Promise.resolve()
        seen.push(pick(delivery))
        return delivery.exhausted ? Promise.resolve() : Promise.reject(new Error('poison'))
      })
      expect(member).toBeDefined()
      await appendRow(one.store, 'tools.p1.poison', 1)
      await until('it is exhausted', () => seen.some((delivery) => delivery.exhausted))
      expect(seen.map(({ attempt, exhausted }) => [attempt, exhausted])).toEqual([
        [1, false],
        [2, false],
        [3, true],
      ])
    })

    test('a handler that takes longer than the ack wait is not started twice', async () => {
      const starts: number[] = []
      const slow = async (delivery: Delivery): Promise<void> => {
        starts.push(delivery.sequence)
        await passes(world().ackWaitMs * 2.5)
      }
      await using left = await one.store.react(group('slow', 1), slow)
      await using right = await other.store.react(group('slow', 1), slow)
      expect([left, right]).toHaveLength(2)
      const [stored] = await appendRow(one.store, 'tools.p1.slow', 1)
      await until('it has started', () => starts.length > 0)
      await passes(world().ackWaitMs * 3)
      expect(starts).toEqual([stored?.sequence])
    })

    test('disposing a member lets what it has in hand finish, and the rest goes to the others', async () => {
      const done: number[] = []
      let release: () => void = () => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      const member = await one.store.react(group('drained', 1), async (delivery) => {
        await held
        done.push(delivery.sequence)
      })
      const row = await appendRow(one.store, 'tools.p1.drained', 3)
      const disposing = member[Symbol.asyncDispose]()
      await using heir = await other.store.react(group('drained', 1), (delivery) => {
        return Promise.resolve(void done.push(delivery.sequence))
      })
      expect(heir).toBeDefined()
      release()
      await disposing
      await until('all are done', () => done.length >= 3)
      expect([...done].sort((a, b) => a - b)).toEqual(row.map((stored) => stored.sequence))
    })
  })
}

function pick({ sequence, attempt, exhausted }: Delivery): Seen {
  return { sequence, attempt, exhausted }
}

/** Lets real time pass: the ack wait under test is the server's. */
async function passes(ms: number): Promise<void> {
  const endsAt = performance.now() + ms
  await until('time passes', () => performance.now() >= endsAt, ms + 5_000)
}
