import { PlatformError } from '@sciencediscovery/kernel'
import {
  type CounterCommand,
  type CounterState,
  appendRow,
  codeOf,
  counterType,
  faultyStore,
  fixedClock,
  noFaults,
} from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { type Aggregates, type CommandMeta } from './aggregate.js'
import { createAggregates } from './create-aggregates.js'
import { createEmbeddedStore } from './embedded/create-embedded-store.js'
import { type EventStore } from './event-store.js'

const subject = 'sessions.p1.s1'
const add = (amount: number): CounterCommand => ({ type: 'Add', amount })
const meta = (commandId: string, more: Partial<CommandMeta> = {}): CommandMeta => {
  return { commandId, causationId: 'request-1', correlationId: 'run-1', ...more }
}
type Counters = Aggregates<CounterState, CounterCommand>
const countersOn = (store: EventStore, cacheBytes = 1_000_000): Counters =>
  createAggregates(counterType, { store, clock: fixedClock(), writer: 'replica-1', cacheBytes })

/** Counts what is asked of the store. */
function counted(store: EventStore): { readonly store: EventStore; readonly calls: string[] } {
  const calls: string[] = []
  const direct = faultyStore(store, () => 1, { faults: noFaults })
  const watched: EventStore = {
    ...direct,
    append: (...args) => (calls.push('append'), direct.append(...args)),
    last: (...args) => (calls.push('last'), direct.last(...args)),
    read: (...args) => (calls.push('read'), direct.read(...args)),
  }
  return { store: watched, calls }
}

describe('handling commands', () => {
  test('the commit says what it follows, who wrote it, and why', async () => {
    await using embedded = await createEmbeddedStore()
    const counters = countersOn(embedded.store)
    const { commit: first } = await counters.handle(subject, add(1), meta('a'))
    const { commit } = await counters.handle(
      subject,
      add(2),
      meta('b', { traceparent: '00-1-2-01' }),
    )
    expect(commit?.commit).toMatchObject({
      version: 2,
      previousId: first?.commit.commitId,
      firstPosition: 2,
      commandId: 'b',
      causationId: 'request-1',
      correlationId: 'run-1',
      writer: 'replica-1',
      recordedAt: '2026-01-01T00:00:00.000Z',
      traceparent: '00-1-2-01',
    })
  })

  test('after its own commit nothing is read again: one call per command', async () => {
    await using embedded = await createEmbeddedStore()
    const { store, calls } = counted(embedded.store)
    const counters = countersOn(store)
    for (const id of ['a', 'b', 'c', 'd']) await counters.handle(subject, add(1), meta(id))
    expect(calls).toEqual(['last', 'append', 'append', 'append', 'append'])
  })

  test('each event is parsed once, however many commands follow (2,000 turns)', async () => {
    await using embedded = await createEmbeddedStore()
    await appendRow(embedded.store, subject, 500)
    const counters = countersOn(embedded.store)
    for (let turn = 0; turn < 500; turn += 1) {
      await counters.handle(subject, add(1), meta(`turn-${turn}`))
      await counters.load(subject)
    }
    expect(counters.eventsFolded()).toBe(500)
  })

  test('without room to keep anything else, the newest state is still kept', async () => {
    await using embedded = await createEmbeddedStore()
    const counters = countersOn(embedded.store, 0)
    for (let turn = 0; turn < 10; turn += 1)
      await counters.handle(subject, add(1), meta(`turn-${turn}`))
    expect(counters.eventsFolded()).toBe(0)
    await counters.handle('sessions.p1.other', add(1), meta('x'))
    expect((await counters.load(subject)).state.total).toBe(10)
    expect(counters.eventsFolded()).toBe(10)
  })

  test('an event that its own schema refuses is not stored', async () => {
    await using embedded = await createEmbeddedStore()
    const type = {
      ...counterType,
      record: () => ({ type: 'counter.added', v: 1, data: { amount: 'much' } }),
    }
    const counters = createAggregates(type, {
      store: embedded.store,
      clock: fixedClock(),
      writer: 'w',
    })
    await expect(counters.handle(subject, add(1), meta('a'))).rejects.toThrow()
    expect(await embedded.store.last(subject)).toBeUndefined()
  })

  test('no answer until the deadline is unknown, and the same command later is done once', async () => {
    await using embedded = await createEmbeddedStore()
    const mute = faultyStore(embedded.store, () => 0, { faults: { ...noFaults, lostAnswer: 1 } })
    const silent = {
      ...mute,
      last: () => Promise.reject(new PlatformError('unavailable', 'no leader')),
    }
    const counters = countersOn(silent)
    await appendRow(embedded.store, subject, 1)
    await countersOn(mute).load(subject)
    const handling = countersOn({ ...mute, last: (name) => embedded.store.last(name) })
    const first = await handling.handle(subject, add(5), meta('a', { deadlineMs: 2_000 }))
    expect(first.repeated).toBe(true)
    expect(await codeOf(counters.handle(subject, add(1), meta('b', { deadlineMs: 50 })))).toBe(
      'unavailable',
    )
    const again = await countersOn(embedded.store).handle(subject, add(5), meta('a'))
    expect(again).toMatchObject({ repeated: true, folded: { state: { total: 6 } } })
  })

  test('an append without answer whose fate cannot be looked up ends as unknown', async () => {
    await using embedded = await createEmbeddedStore()
    let asked = 0
    const store: EventStore = {
      ...faultyStore(embedded.store, () => 0, { faults: { ...noFaults, lostAnswer: 1 } }),
      last: (name) => {
        asked += 1
        return asked === 1
          ? embedded.store.last(name)
          : Promise.reject(new PlatformError('unavailable', 'no leader'))
      },
    }
    const handling = countersOn(store).handle(subject, add(1), meta('a', { deadlineMs: 60 }))
    expect(await codeOf(handling)).toBe('unknown')
  })

  test('a caller that leaves gets cancelled', async () => {
    await using embedded = await createEmbeddedStore()
    const handling = countersOn(embedded.store).handle(
      subject,
      add(1),
      meta('a', { signal: AbortSignal.abort() }),
    )
    expect(await codeOf(handling)).toBe('cancelled')
  })

  test('a stream that lost what was read is a bug, and nothing is decided on it', async () => {
    await using embedded = await createEmbeddedStore()
    await using emptied = await createEmbeddedStore()
    let store = embedded.store
    const direct = faultyStore(embedded.store, () => 1, { faults: noFaults })
    const counters = countersOn({ ...direct, last: (name) => store.last(name) })
    await counters.handle(subject, add(1), meta('a'))
    store = emptied.store
    expect(await codeOf(counters.load(subject))).toBe('bug')
  })
})

describe('a command id that comes again', () => {
  test('X-12: with an equal request it is the first answer, with another one it is refused', async () => {
    await using embedded = await createEmbeddedStore()
    const counters = countersOn(embedded.store)
    const first = await counters.handle(subject, add(1), meta('a', { requestDigest: 'd1' }))
    await counters.handle(subject, add(1), meta('b'))
    const again = await counters.handle(subject, add(1), meta('a', { requestDigest: 'd1' }))
    expect(again).toMatchObject({ repeated: true, commit: first.commit })
    const other = countersOn(embedded.store)
    await expect(
      other.handle(subject, add(2), meta('a', { requestDigest: 'd2' })),
    ).rejects.toMatchObject({ code: 'already_exists', details: { field: 'idempotency_key' } })
    // A commit of before digests were kept.
    expect((await other.handle(subject, add(1), meta('b', { requestDigest: 'd3' }))).repeated).toBe(
      true,
    )
  })

  test('where a position is: everything beyond it is after this sequence, nothing before', async () => {
    await using embedded = await createEmbeddedStore()
    const counters = countersOn(embedded.store)
    for (const id of ['a', 'b', 'c']) await counters.handle(subject, add(1), meta(id))
    await counters.handle('sessions.p1.s2', add(1), meta('x'))
    const { commit } = await counters.handle(subject, add(1), meta('d'))
    const at = (position: number) => counters.sequenceBefore(subject, position)
    expect(await Promise.all([0, 1, 3, 4, 9].map(at))).toEqual([0, 1, 3, 5, 5])
    expect(commit?.sequence).toBe(5)
  })
})
