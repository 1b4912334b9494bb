import { type EventPorts } from '@sciencediscovery/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { after, appendRow, collect, commitOf } from '../commits.js'
import { type CurrentWorld, disconnect } from './store-world.js'

/** Reading a subject: bounds, and never behind what was acknowledged. */
export function readContract(world: CurrentWorld): void {
  describe('read', () => {
    let one: EventPorts
    let other: EventPorts
    beforeAll(async () => {
      one = await world().connect()
      other = await world().connect()
    })
    afterAll(() => disconnect(one, other))

    test('gives the commits after one bound up to the other, in order', async () => {
      const row = await appendRow(one.store, 'runs.2.p1.bounds', 10)
      await appendRow(one.store, 'runs.2.p1.neighbour', 3)
      const sequences = row.map((stored) => stored.sequence)
      const range = { afterSequence: sequences[2] ?? 0, upToSequence: sequences[7] ?? 0 }
      const read = await collect(other.store.read('runs.2.p1.bounds', range))
      expect(read.map((stored) => stored.sequence)).toEqual(sequences.slice(3, 8))
    })

    test('ends when the upper bound lies beyond the subject', async () => {
      const row = await appendRow(one.store, 'runs.2.p1.short', 2)
      const [foreign] = (await appendRow(one.store, 'runs.2.p1.longer', 1)).slice(-1)
      const read = await collect(
        other.store.read('runs.2.p1.short', { upToSequence: foreign?.sequence ?? 0 }),
      )
      expect(read).toHaveLength(row.length)
    })

    test('reads a long subject whole', async () => {
      const row = await appendRow(one.store, 'runs.3.p1.long', 600)
      const read = await collect(
        other.store.read('runs.3.p1.long', { upToSequence: row.at(-1)?.sequence ?? 0 }),
      )
      expect(read.map((stored) => stored.commit.version)).toEqual(
        row.map((stored) => stored.commit.version),
      )
    })

    test('stale read: what was acknowledged to one is read by the other at once', async () => {
      const subject = 'runs.0.p1.stale-read'
      let last = await one.store.append(commitOf(subject, 'c-1'), 0)
      for (let version = 2; version <= 60; version += 1) {
        last = await one.store.append(commitOf(subject, `c-${version}`, after(last)), last.sequence)
        expect((await other.store.last(subject))?.sequence).toBe(last.sequence)
        const range = { afterSequence: last.sequence - 1, upToSequence: last.sequence }
        expect(await collect(other.store.read(subject, range))).toHaveLength(1)
      }
    })
  })
}
