import { type EventPorts, maxCommitBytes } from '@sciencediscovery/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { after, appendRow, codeOf, collect, commitOf } from '../commits.js'
import { type CurrentWorld, disconnect } from './store-world.js'

/** Appending and reading back one subject. */
export function appendContract(world: CurrentWorld): void {
  describe('append', () => {
    let one: EventPorts
    let other: EventPorts
    beforeAll(async () => {
      one = await world().connect()
      other = await world().connect()
    })
    afterAll(() => disconnect(one, other))

    test('a new subject starts at expected sequence 0 and is read back whole', async () => {
      const subject = 'sessions.p1.round-trip'
      expect(await one.store.last(subject)).toBeUndefined()
      const commit = { ...commitOf(subject, 'a'), traceparent: '00-1-2-01' }
      const stored = await one.store.append(commit, 0)
      expect(stored.stream).toBe('SESSIONS')
      expect(await other.store.last(subject)).toEqual({
        commit,
        stream: 'SESSIONS',
        sequence: stored.sequence,
      })
      const read = other.store.read(subject, { upToSequence: stored.sequence })
      expect(await collect(read)).toEqual([
        { commit, stream: 'SESSIONS', sequence: stored.sequence },
      ])
    })

    test('race: one of eight writers wins, the others get conflict, one commit is there', async () => {
      const subject = 'runs.1.p1.race'
      const racers = Array.from({ length: 8 }, (_, index) => (index % 2 ? one : other))
      const codes = await Promise.all(
        racers.map(({ store }, index) =>
          codeOf(store.append(commitOf(subject, `racer-${index}`), 0)),
        ),
      )
      expect(codes.filter((code) => code === 'done')).toHaveLength(1)
      expect(codes.filter((code) => code === 'conflict')).toHaveLength(7)
      const last = await one.store.last(subject)
      expect(
        await collect(other.store.read(subject, { upToSequence: last?.sequence ?? 0 })),
      ).toHaveLength(1)
    })

    test('retry after landing: the same commit is never stored twice', async () => {
      const subject = 'runs.0.p1.landed'
      const commit = commitOf(subject, 'a')
      const stored = await one.store.append(commit, 0)
      expect(['done', 'conflict']).toContain(await codeOf(other.store.append(commit, 0)))
      const next = await one.store.append(commitOf(subject, 'b', after(stored)), stored.sequence)
      expect(['done', 'conflict']).toContain(await codeOf(other.store.append(commit, 0)))
      const all = await collect(other.store.read(subject, { upToSequence: next.sequence }))
      expect(all.map((item) => item.sequence)).toEqual([stored.sequence, next.sequence])
    })

    test('a stale expectation is a conflict', async () => {
      const subject = 'sessions.p1.stale'
      const [first] = await appendRow(one.store, subject, 3)
      const late = commitOf(subject, 'late', first && after(first))
      expect(await codeOf(other.store.append(late, first?.sequence ?? 0))).toBe('conflict')
      expect(await codeOf(other.store.append(commitOf(subject, 'new'), 0))).toBe('conflict')
    })

    test('a commit over the limit is refused before it is sent, and the error names the field', async () => {
      const subject = 'sessions.p1.large'
      const large = { type: 'x.y', v: 1, data: { small: 1, text: 'x'.repeat(maxCommitBytes) } }
      const append = one.store.append({ ...commitOf(subject, 'a'), events: [large] }, 0)
      await expect(append).rejects.toMatchObject({
        code: 'invalid',
        details: { field: 'events[0].data.text' },
      })
      expect(await one.store.last(subject)).toBeUndefined()
    })

    test('a commit of 511 KiB is stored', async () => {
      const subject = 'sessions.p1.nearly-large'
      const events = [{ type: 'x.y', v: 1, data: { text: 'x'.repeat(511 * 1024) } }]
      const stored = await one.store.append({ ...commitOf(subject, 'a'), events }, 0)
      expect((await other.store.last(subject))?.sequence).toBe(stored.sequence)
    })

    test('a subject that names no aggregate is refused', async () => {
      expect(await codeOf(one.store.last('sessions.*'))).toBe('invalid')
      expect(await codeOf(one.store.append(commitOf('runs.99.p1.r1', 'a'), 0))).toBe('invalid')
    })
  })
}
