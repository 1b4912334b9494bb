import { isPlatformError } from '@sciencediscovery/kernel'
import {
  type CounterCommand,
  Simulation,
  type SimulatedProcess,
  collect,
  counterLimit,
  counterType,
  faultyStore,
  firstFailingSeed,
  fixedClock,
  noFaults,
  pick,
  runSeeds,
} from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { type Aggregates } from './aggregate.js'
import { type StoredCommit } from './commit.js'
import { createAggregates } from './create-aggregates.js'
import { createEmbeddedStore } from './embedded/create-embedded-store.js'
import { type EventStore } from './event-store.js'

interface Asked {
  readonly id: string
  readonly command: CounterCommand
}

const subject = 'sessions.p1.simulated'
const asked: readonly Asked[] = [
  ...[1, 2, 3, 4, 5].map((amount) => ({
    id: `add-${amount}`,
    command: { type: 'Add' as const, amount },
  })),
  { id: 'raise', command: { type: 'RaiseTo', total: 12 } },
  { id: 'too-much', command: { type: 'Add', amount: counterLimit + 1 } },
]

/** Acknowledged to somebody: the commit, or nothing for "nothing changes". */
type Acknowledged = Map<string, StoredCommit | undefined>

type Spoil = (store: EventStore) => EventStore

/** Three replicas are delivered every command, some twice, in orders of their own; then all is asked once more. */
async function simulate(seed: number, spoil: Spoil = (store) => store): Promise<void> {
  const simulation = new Simulation(seed)
  await using embedded = await createEmbeddedStore()
  const acknowledged: Acknowledged = new Map()
  for (const name of ['one', 'two', 'three']) {
    simulation.start(name, async (process) => {
      const wires = { step: () => process.step(), wire: () => simulation.wire() }
      const store = faultyStore(spoil(embedded.store), simulation.random, wires)
      const counters = replicaOn(store, process, simulation)
      for (const { id, command } of shuffled(simulation, [
        ...asked,
        pick(simulation.random, asked),
      ])) {
        await process.step()
        await ask(counters, { id, command }, acknowledged)
      }
    })
  }
  await simulation.run()
  simulation.start('last', async (process) => {
    const store = faultyStore(spoil(embedded.store), simulation.random, { faults: noFaults })
    const counters = replicaOn(store, process, simulation)
    for (const { id, command } of asked) await ask(counters, { id, command }, acknowledged)
  })
  await simulation.run()
  await check(embedded.store, acknowledged)
}

function replicaOn(
  store: EventStore,
  process: SimulatedProcess,
  simulation: Simulation,
): Aggregates<unknown, CounterCommand> {
  const { timers, name } = process
  // Some replicas keep nothing, so that both the warm and the cold way are taken.
  const cacheBytes = simulation.random() < 0.3 ? 0 : 1_000_000
  return createAggregates(counterType, {
    store,
    clock: fixedClock(),
    writer: name,
    cacheBytes,
    random: simulation.random,
    timers,
  })
}

async function ask(
  counters: Aggregates<unknown, CounterCommand>,
  { id, command }: Asked,
  acknowledged: Acknowledged,
): Promise<void> {
  const meta = { commandId: id, causationId: 'c', correlationId: 'r', deadlineMs: 300 }
  try {
    note(acknowledged, id, (await counters.handle(subject, command, meta)).commit)
  } catch (error) {
    if (!isPlatformError(error) || error.code === 'bug') throw error
    if (error.code === 'refused' && id !== 'too-much') throw error
  }
}

function note(acknowledged: Acknowledged, id: string, commit: StoredCommit | undefined): void {
  const before = acknowledged.get(id)
  if (before && commit?.sequence !== before.sequence) throw new Error(`${id} has two commits`)
  if (commit || !acknowledged.has(id)) acknowledged.set(id, commit)
}

async function check(store: EventStore, acknowledged: Acknowledged): Promise<void> {
  const last = await store.last(subject)
  const commits = await collect(store.read(subject, { upToSequence: last?.sequence ?? 0 }))
  const done = commits.map(({ commit }) => commit.commandId)
  if (new Set(done).size !== done.length)
    throw new Error(`a command was done twice: ${done.join(' ')}`)
  for (const [id, stored] of acknowledged) {
    if (stored && !commits.some((found) => found.commit.commitId === stored.commit.commitId)) {
      throw new Error(`${id} was acknowledged and is gone`)
    }
  }
  for (const { id } of asked) {
    if (id.startsWith('add-') && !done.includes(id)) throw new Error(`${id} was never done`)
  }
  commits.forEach(({ commit }, index) => {
    const previousId = commits[index - 1]?.commit.commitId ?? null
    if (commit.version !== index + 1 || commit.previousId !== previousId)
      throw new Error(`a fork at ${index + 1}`)
  })
}

function shuffled<T>(simulation: Simulation, items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, rank: simulation.random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ item }) => item)
}

/** Planted: the commit of an earlier try is not recognised. */
const doesNotLook: Spoil = (store) => {
  const forget = (stored: StoredCommit): StoredCommit => {
    return { ...stored, commit: { ...stored.commit, commandId: `forgotten-${stored.sequence}` } }
  }
  return {
    ...faultyStore(store, () => 1, { faults: noFaults }),
    last: async (name) => {
      const stored = await store.last(name)
      return stored && forget(stored)
    },
    async *read(name, range) {
      for await (const stored of store.read(name, range)) yield forget(stored)
    },
  }
}

/** Planted: the store lets a stale expectation pass. */
const doesNotExpect: Spoil = (store) => ({
  ...faultyStore(store, () => 1, { faults: noFaults }),
  append: async (commit) => store.append(commit, (await store.last(commit.subject))?.sequence ?? 0),
})

describe('commands under a seeded scheduler with faults', () => {
  test('2,000 schedules: every acknowledged command is there once, and only once', async () => {
    await runSeeds(2_000, (seed) => simulate(seed))
  }, 60_000)

  test('a seed replays: the same order, the same outcome', async () => {
    const orders = await Promise.all([orderOf(7), orderOf(7), orderOf(8)])
    expect(orders[0]).toEqual(orders[1])
    expect(orders[0]).not.toEqual(orders[2])
  })

  test('a planted bug is found: not looking for the commit of an earlier try', async () => {
    expect(await firstFailingSeed(500, (seed) => simulate(seed, doesNotLook))).toBeDefined()
  })

  test('a planted bug is found: appending without the expected sequence', async () => {
    expect(await firstFailingSeed(500, (seed) => simulate(seed, doesNotExpect))).toBeDefined()
  })

  test('a failing seed is named', async () => {
    const failing = runSeeds(5, (seed) =>
      seed === 3 ? Promise.reject(new Error('broken')) : Promise.resolve(),
    )
    await expect(failing).rejects.toThrow('seed 3 (replay with SIM_SEED=3): broken')
  })
})

async function orderOf(seed: number): Promise<readonly string[]> {
  const order: string[] = []
  await simulate(seed, (store) => ({
    ...faultyStore(store, () => 1, { faults: noFaults }),
    append: async (commit, expectedSequence) => {
      order.push(`${commit.writer} ${commit.commandId} ${expectedSequence}`)
      return store.append(commit, expectedSequence)
    },
  }))
  return order
}
