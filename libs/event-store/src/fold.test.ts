import { after, commitOf, counterType } from '@sciencediscovery/testing'
import { describe, expect, test } from 'vitest'
import { type Commit, type StoredCommit } from './commit.js'
import { decodeCommit, encodeCommit } from './commit-codec.js'
import { type Entry, advance, emptyEntry } from './fold.js'
import { StateCache } from './state-cache.js'

const subject = 'sessions.p1.s1'
const stored = (commit: Commit, sequence: number): StoredCommit => ({
  commit,
  stream: 'SESSIONS',
  sequence,
})
const first = stored(commitOf(subject, 'a'), 3)
const second = stored(commitOf(subject, 'b', after(first)), 7)
const third = stored(commitOf(subject, 'c', after(second)), 9)
const folded = (...commits: readonly StoredCommit[]): Entry<{ total: number }> => {
  const entry = emptyEntry(counterType.decider.initialState())
  for (const commit of commits) advance(counterType, entry, commit)
  return entry
}

describe('fold', () => {
  test('counts versions and positions and remembers the commands', () => {
    const entry = folded(first, second)
    expect(entry.folded).toEqual({
      state: { total: 2 },
      version: 2,
      position: 2,
      sequence: 7,
      lastCommitId: second.commit.commitId,
    })
    expect([...entry.handled.values()]).toEqual([
      { sequence: 3, lastPosition: 1 },
      { sequence: 7, lastPosition: 2 },
    ])
  })

  test('a commit that it is past is skipped, and not parsed', () => {
    const entry = folded(first, second)
    expect(advance(counterType, entry, first)).toBe(0)
    expect(entry.folded.version).toBe(2)
  })

  test('J3: a gap is refused', () => {
    expect(() => folded(first, third)).toThrow('a gap, version 3 follows version 1')
  })

  test('J3: a fork is refused', () => {
    const other = stored(commitOf(subject, 'other'), 3)
    const ofOther = stored(commitOf(subject, 'd', after(other)), 8)
    expect(() => folded(first, ofOther)).toThrow('a fork')
  })

  test('positions that do not follow are refused', () => {
    const skipping = stored({ ...second.commit, firstPosition: 5 }, 7)
    expect(() => folded(first, skipping)).toThrow('a gap')
  })

  test('an event that cannot be parsed leaves the state before its commit', () => {
    const entry = folded(first)
    const unknown = stored({ ...second.commit, events: [{ type: 'x', v: 9, data: {} }] }, 7)
    expect(() => advance(counterType, entry, unknown)).toThrow()
    expect(entry.folded.version).toBe(1)
  })
})

describe('the state cache', () => {
  const entryOf = (sizeBytes: number): Entry<number> => ({ ...emptyEntry(0), sizeBytes })

  test('drops what was not used for longest, and never the newest', () => {
    const cache = new StateCache<number>(250)
    for (const subject of ['a', 'b']) cache.keep(subject, entryOf(100))
    cache.keep('a', entryOf(100))
    cache.keep('c', entryOf(100))
    expect(['a', 'b', 'c'].map((subject) => cache.find(subject) !== undefined)).toEqual([
      true,
      false,
      true,
    ])
    cache.keep('huge', entryOf(1_000))
    expect(cache.find('huge')).toBeDefined()
    expect(cache.find('a')).toBeUndefined()
    expect(cache.sizeBytes).toBe(1_000)
  })

  test('counts an entry that has grown anew', () => {
    const cache = new StateCache<number>(1_000)
    const entry = entryOf(100)
    cache.keep('a', entry)
    entry.sizeBytes = 400
    cache.keep('a', entry)
    expect(cache.sizeBytes).toBe(400)
    cache.drop('a')
    expect(cache.sizeBytes).toBe(0)
  })
})

describe('the commit codec', () => {
  test('gives back what it was given', () => {
    const commit = { ...first.commit, traceparent: '00-a-b-01' }
    expect(decodeCommit(encodeCommit(commit), 'here')).toEqual(commit)
    expect(decodeCommit(encodeCommit(first.commit), 'here')).toEqual(first.commit)
  })

  test('fields of a newer release are accepted', () => {
    const newer = Buffer.from(JSON.stringify({ ...first.commit, invented: 1 }))
    expect(decodeCommit(newer, 'here')).toEqual(first.commit)
  })

  test.each(['', '{', 'null', '{"commitId":1}'])(
    '%j is no commit, and the place is named',
    (text) => {
      expect(() => decodeCommit(Buffer.from(text), 'RUNS_0/7')).toThrow(
        'RUNS_0/7 does not hold a commit',
      )
    },
  )

  test('BR-065: too large names the largest field of the largest event', () => {
    const events = [
      { type: 'a.b', v: 1, data: { text: 'x'.repeat(1_000) } },
      { type: 'c.d', v: 1, data: { list: ['y'.repeat(600_000)], small: 'z' } },
    ]
    expect(() => encodeCommit({ ...first.commit, events })).toThrow(
      'most of them in events[1].data.list (c.d)',
    )
  })
})
