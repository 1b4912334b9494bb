import { type EventPorts, type EventStore, type StoredCommit } from '@sciencediscovery/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appendRow } from '../commits.js'
import { until } from '../until.js'
import { type CurrentWorld, disconnect } from './store-world.js'

interface Follower {
  readonly seen: number[]
  readonly stop: () => Promise<void>
}

/** Following a subject and a stream: in order, nothing skipped, nothing twice. */
export function followContract(world: CurrentWorld): void {
  describe('follow', () => {
    let one: EventPorts
    let other: EventPorts
    beforeAll(async () => {
      one = await world().connect()
      other = await world().connect()
    })
    afterAll(() => disconnect(one, other))

    test('followSubject never skips and never repeats under concurrent appends', async () => {
      const subject = 'sessions.p1.followed'
      const early = followSubject(other.store, subject, 0)
      const before = await appendRow(one.store, subject, 20)
      const middle = followSubject(other.store, subject, before[9]?.sequence ?? 0)
      const [rest] = await Promise.all([
        appendRow(one.store, subject, 60),
        appendRow(other.store, 'sessions.p1.not-followed', 30),
      ])
      const sequences = [...before, ...rest].map((stored) => stored.sequence)
      await until('all are seen', () => early.seen.length >= 80 && middle.seen.length >= 70)
      await Promise.all([early.stop(), middle.stop()])
      expect(early.seen).toEqual(sequences)
      expect(middle.seen).toEqual(sequences.slice(10))
    })

    test('followSubject ends at once when its signal aborts', async () => {
      const follower = followSubject(other.store, 'sessions.p1.silent', 0)
      await follower.stop()
      expect(follower.seen).toEqual([])
    })

    test('two readers of a stream see the same commits in the same order, in batches within the bound', async () => {
      const [stream] = one.store.streamsOf('artifacts')
      const start = await one.store.lastSequence(stream ?? '')
      const readers = [
        followStream(one.store, stream, start),
        followStream(other.store, stream, start),
      ]
      const writers = ['a', 'b', 'c'].map((id) =>
        appendRow(one.store, `artifacts.p1.two-readers-${id}`, 20),
      )
      const written = (await Promise.all(writers)).flat().map((stored) => stored.sequence)
      const late = followStream(other.store, stream, start)
      const all = [...readers, late]
      await until('all are seen', () => all.every((reader) => reader.seen.length >= 60))
      await Promise.all(all.map((reader) => reader.stop()))
      const order = [...written].sort((left, right) => left - right)
      for (const reader of all) expect(reader.seen).toEqual(order)
      expect(await other.store.lastSequence(stream ?? '')).toBe(order.at(-1))
    })

    test('a stream has one identity for all its readers', async () => {
      const [stream] = one.store.streamsOf('sessions')
      expect(await one.store.identityOf(stream ?? '')).toBe(
        await other.store.identityOf(stream ?? ''),
      )
    })
  })
}

function followSubject(store: EventStore, subject: string, afterSequence: number): Follower {
  return follower(
    (signal) => store.followSubject(subject, afterSequence, signal),
    (stored) => [stored],
  )
}

function followStream(
  store: EventStore,
  stream: string | undefined,
  afterSequence: number,
): Follower {
  const start = (signal: AbortSignal): AsyncIterable<readonly StoredCommit[]> =>
    store.followStream(stream ?? '', afterSequence, { batch: 7, signal })
  return follower(start, (batch) => {
    if (batch.length === 0 || batch.length > 7) throw new Error(`a batch of ${batch.length}`)
    return batch
  })
}

function follower<T>(
  start: (signal: AbortSignal) => AsyncIterable<T>,
  commits: (item: T) => readonly StoredCommit[],
): Follower {
  const seen: number[] = []
  const stopped = new AbortController()
  const done = (async () => {
    for await (const item of start(stopped.signal))
      seen.push(...commits(item).map((stored) => stored.sequence))
  })()
  return {
    seen,
    stop: () => {
      stopped.abort()
      return done
    },
  }
}
