import { appendFile, mkdtemp, open, readFile, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, appendRow, codeOf, collect, commitOf, until } from '@sciencediscovery/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Delivery } from '../event-store.js'
import { createEmbeddedStore } from './create-embedded-store.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-recovery-'))
})
afterEach(() => rm(directory, { recursive: true }))

const subject = 'runs.0.p1.r1'
const journalPath = (): string => join(directory, 'journal', '000001.journal')

async function written(count: number): Promise<void> {
  await using embedded = await createEmbeddedStore({ directory })
  await appendRow(embedded.store, subject, count)
}

async function versions(): Promise<readonly number[]> {
  await using embedded = await createEmbeddedStore({ directory })
  const last = await embedded.store.last(subject)
  const all = await collect(embedded.store.read(subject, { upToSequence: last?.sequence ?? 0 }))
  return all.map((stored) => stored.commit.version)
}

describe('an embedded store that is opened again', () => {
  test('has everything that was acknowledged, and goes on after it', async () => {
    await written(5)
    await written(3)
    expect(await versions()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('keeps its identity and its number of run shards; another number is told, not taken', async () => {
    const first = await createEmbeddedStore({ directory, runShards: 2 })
    const identity = await first.store.identityOf('RUNS_0')
    await first[Symbol.asyncDispose]()
    await using second = await createEmbeddedStore({ directory, runShards: 8 })
    expect(await second.store.identityOf('RUNS_0')).toBe(identity)
    expect(second.store.runShards).toBe(2)
    expect((await second.store.describe()).notes[0]?.problem).toContain('2 streams, not 8')
  })

  test('a torn tail is cut and reported, and the store works', async () => {
    await written(3)
    const intact = (await stat(journalPath())).size
    await appendFile(journalPath(), Buffer.from('half a record, cut by a power loss'))
    const warnings: string[] = []
    const onWarning = ({ problem }: { problem: string }): void => void warnings.push(problem)
    const embedded = await createEmbeddedStore({ directory, onWarning })
    expect(warnings[0]).toContain(`34 bytes cut off at byte ${intact}`)
    expect((await embedded.store.describe()).notes.map((note) => note.problem)).toEqual(warnings)
    await appendRow(embedded.store, subject, 1)
    await embedded[Symbol.asyncDispose]()
    expect(await versions()).toEqual([1, 2, 3, 4])
  })

  test('a last record cut at any byte loses that record only', async () => {
    await written(2)
    const before = (await stat(journalPath())).size
    await written(1)
    const end = (await stat(journalPath())).size
    const whole = await readFile(journalPath())
    for (const size of [end - 1, end - 40, before + 13, before + 12, before + 5, before + 1]) {
      await truncate(journalPath(), size)
      expect(await versions()).toEqual([1, 2])
      const file = await open(journalPath(), 'w')
      await file.writeFile(whole)
      await file.close()
    }
    expect(await versions()).toEqual([1, 2, 3])
  })

  test('a tail of zeros is a torn tail', async () => {
    await written(2)
    await appendFile(journalPath(), Buffer.alloc(10_000))
    expect(await versions()).toEqual([1, 2])
  })

  test('damage before an intact record is refused with file and offset', async () => {
    await written(2)
    const offset = (await stat(journalPath())).size
    await written(2)
    const file = await open(journalPath(), 'r+')
    await file.write(Buffer.from('X'), 0, 1, offset + 60)
    await file.close()
    const opening = createEmbeddedStore({ directory })
    await expect(opening).rejects.toMatchObject({
      code: 'bug',
      details: { reason: 'journal_damaged' },
    })
    await expect(opening).rejects.toThrow(`${journalPath()} is damaged at byte ${offset}`)
  })

  test('damage that came while it was open is found by the read', async () => {
    await using embedded = await createEmbeddedStore({ directory, cacheBytes: 0 })
    const row = await appendRow(embedded.store, subject, 3)
    const size = (await stat(journalPath())).size
    const file = await open(journalPath(), 'r+')
    await file.write(Buffer.from('X'), 0, 1, size - 20)
    await file.close()
    const read = collect(embedded.store.read(subject, { upToSequence: row[2]?.sequence ?? 0 }))
    expect(await codeOf(read)).toBe('bug')
  })

  test('what was not acknowledged comes again, with the next attempt; what was does not', async () => {
    const first = await createEmbeddedStore({ directory })
    const done: number[] = []
    const group = { name: 'recovery', noun: 'runs', slots: 4 }
    await first.store.react(group, (delivery, signal) => {
      if (delivery.sequence !== 2) return Promise.resolve(void done.push(delivery.sequence))
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'))
        })
      })
    })
    await appendRow(first.store, subject, 4)
    await until('three are done', () => done.length === 3)
    await first[Symbol.asyncDispose]()
    const again: Delivery[] = []
    await using second = await createEmbeddedStore({ directory })
    await second.store.react(group, (delivery) => Promise.resolve(void again.push(delivery)))
    await until('it came again', () => again.length > 0)
    const [last] = await appendRow(second.store, subject, 1)
    await until('the next came', () => again.length > 1)
    expect(again.map(({ sequence, attempt }) => [sequence, attempt])).toEqual([
      [2, 2],
      [last?.sequence, 1],
    ])
  }, 20_000)

  test('open jobs wait again, completed ones do not', async () => {
    const first = await createEmbeddedStore({ directory })
    for (const id of ['a', 'b', 'c']) await first.queue.offer('placement.x', id, { id })
    const { signal } = new AbortController()
    const a = await first.queue.take('placement.x', signal)
    await a?.complete()
    await first.queue.take('placement.x', signal)
    await first[Symbol.asyncDispose]()
    await using second = await createEmbeddedStore({ directory })
    expect(await second.queue.waiting('placement.x')).toBe(2)
    const leases = [
      await second.queue.take('placement.x', signal),
      await second.queue.take('placement.x', signal),
    ]
    expect(leases.map((lease) => [lease?.id, lease?.attempt])).toEqual([
      ['b', 2],
      ['c', 1],
    ])
  })

  test('the journal is private to its user', async () => {
    await written(1)
    expect((await stat(journalPath())).mode & 0o077).toBe(0)
    expect(await readdir(join(directory, 'journal'))).toEqual(['000001.journal'])
  })
})

describe('a data directory in use', () => {
  test('is refused to a second store, with the holder and the remedy; freed when the first closes', async () => {
    const first = await createEmbeddedStore({ directory })
    const second = createEmbeddedStore({ directory })
    await expect(second).rejects.toMatchObject({
      code: 'unavailable',
      details: { reason: 'directory_locked' },
    })
    await expect(second).rejects.toThrow(`in use by process ${process.pid}`)
    await first[Symbol.asyncDispose]()
    expect(await versions()).toEqual([])
  })
})

describe('group commit', () => {
  test('many writers at once all get their own place', async () => {
    await using embedded = await createEmbeddedStore({ directory })
    const writers = Array.from({ length: 64 }, (_, index) => {
      return embedded.store.append(commitOf(`runs.0.p1.w${index}`, 'a'), 0)
    })
    const stored = await Promise.all(writers)
    expect(new Set(stored.map(({ sequence }) => sequence)).size).toBe(64)
  })

  test('a second append on a subject waits for the first and then gets conflict', async () => {
    await using embedded = await createEmbeddedStore({ directory })
    const first = embedded.store.append(commitOf(subject, 'a'), 0)
    const second = embedded.store.append(commitOf(subject, 'b'), 0)
    const stored = await first
    expect(await codeOf(second)).toBe('conflict')
    expect(
      await codeOf(embedded.store.append(commitOf(subject, 'b', after(stored)), stored.sequence)),
    ).toBe('done')
  })
})
