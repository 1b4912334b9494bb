import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, openPglite, type Database, type Pglite } from '@sciencediscovery/db'
import {
  createEmbeddedStore,
  type EmbeddedStore,
  type StoredCommit,
  systemTimers,
  type Timers,
} from '@sciencediscovery/event-store'
import { appendRow, type PostgresServer, startPostgres, until } from '@sciencediscovery/testing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  hashOfTables,
  rebuildView,
  runView,
  runViews,
  type RunningView,
  type View,
} from './index.js'
import { prepare, quiet, sumsView, type SumsSchema } from './testing/sums-view.js'

let server: PostgresServer
let pglite: Pglite
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-views-'))
  server = await startPostgres()
  pglite = await openPglite({
    directory: join(directory, 'pglite'),
    templateDirectory: join(tmpdir(), 'scid-pglite-0.5.14'),
  })
})

afterAll(async () => {
  await pglite[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

const tables = ['sums', 'sum_steps']
const places = [
  ['pg', () => ({ url: server.url })],
  ['pglite', () => ({ pglite })],
] as const

describe.each(places)('a view on %s', (dialect, place) => {
  const view = sumsView()
  let backend: EmbeddedStore
  let database: Database<SumsSchema>
  let schemas = 0
  const running: AsyncDisposable[] = []

  const run = (options: Partial<Parameters<typeof runView<SumsSchema>>[0]> = {}): RunningView => {
    const started = runView({
      view,
      database,
      store: backend.store,
      logger: quiet,
      takeoverMs: 200,
      ...options,
    })
    running.push(started)
    return started
  }
  const stop = async () => {
    for (const one of running.splice(0)) await one[Symbol.asyncDispose]()
  }
  const totals = async () => {
    const rows = await database.db
      .selectFrom('sums')
      .select(['subject', 'total'])
      .orderBy('subject')
      .execute()
    return rows.map(({ subject, total }) => `${subject}=${total}`)
  }
  const there = async (one: RunningView, commits: readonly StoredCommit[]) => {
    for (const { stream, sequence } of commits.slice(-1))
      await one.waitForPosition({ stream, sequence }, { timeoutMs: 20_000 })
  }

  beforeEach(async () => {
    backend = await createEmbeddedStore()
    database = await openDatabase<SumsSchema>({
      ...place(),
      schema: `views_${dialect}_${++schemas}`,
    })
    await prepare(database, view)
  })

  afterEach(async () => {
    await stop()
    await database[Symbol.asyncDispose]()
    await backend[Symbol.asyncDispose]()
  })

  test('reads what was there and what comes, every stream in order', async () => {
    const before = await appendRow(backend.store, 'runs.0.p1.r1', 120)
    const one = run()
    await there(one, before)
    for (const [shard, run] of [
      [0, 'r1'],
      [1, 'r2'],
      [3, 'r3'],
    ] as const) {
      await there(one, await appendRow(backend.store, `runs.${shard}.p1.${run}`, 30))
    }
    expect(await totals()).toEqual(['runs.0.p1.r1=150', 'runs.1.p1.r2=30', 'runs.3.p1.r3=30'])
    const status = await one.status()
    expect(status.map(({ stream, sequence, lag }) => [stream, sequence, lag])).toEqual([
      ['RUNS_0', 150, 0],
      ['RUNS_1', 30, 0],
      ['RUNS_2', 0, 0],
      ['RUNS_3', 30, 0],
    ])
  })

  test('goes on where it stopped', async () => {
    await there(run(), await appendRow(backend.store, 'runs.0.p1.r1', 10))
    await stop()
    const more = await appendRow(backend.store, 'runs.0.p1.r1', 10)
    await there(run(), more)
    expect(await totals()).toEqual(['runs.0.p1.r1=20'])
  })

  test('that throws at a commit applies what comes before it, shows where it stands and goes on once it can', async () => {
    const poison = { at: 6 }
    const metrics: string[] = []
    const failing: View<SumsSchema> = {
      ...view,
      apply: async (tx, stored) => {
        await view.apply(tx, stored)
        if (stored.commit.subject.endsWith('bad') && stored.commit.version === poison.at)
          throw new Error('cannot read this')
      },
    }
    const commits = await appendRow(backend.store, 'runs.0.p1.bad', 10)
    const other = await appendRow(backend.store, 'runs.1.p1.good', 10)
    const one = run({
      view: failing,
      failAfterAttempts: 2,
      metrics: {
        applied: () => undefined,
        fenced: () => undefined,
        rebuilt: () => undefined,
        failed: (key, { sequence }) => void metrics.push(`${key.view} ${key.stream} ${sequence}`),
      },
    })
    await there(one, other)
    await until('the failure shows', async () => (await one.status())[0]?.failing !== undefined)
    expect(await totals()).toEqual(['runs.0.p1.bad=5', 'runs.1.p1.good=10'])
    const [status] = await one.status()
    expect(status).toMatchObject({
      stream: 'RUNS_0',
      sequence: 5,
      lag: 5,
      failing: { sequence: 6, error: 'cannot read this' },
    })
    expect(new Set(metrics)).toEqual(new Set(['sums RUNS_0 6']))
    poison.at = 0
    await there(one, commits)
    expect(await totals()).toEqual(['runs.0.p1.bad=10', 'runs.1.p1.good=10'])
    await until('the failure is gone', async () => (await one.status())[0]?.failing === undefined)
  })

  test('that throws holds no other view back', async () => {
    const bad: View<SumsSchema> = {
      ...view,
      name: 'bad',
      apply: () => Promise.reject(new Error('always')),
    }
    const views = runViews({
      views: [bad, view],
      database,
      store: backend.store,
      logger: quiet,
      failAfterAttempts: 1,
    })
    running.push(views)
    const [last] = (await appendRow(backend.store, 'runs.0.p1.r1', 50)).slice(-1)
    await views.waitForPosition('sums', { stream: last!.stream, sequence: last!.sequence })
    await until('the failure shows', async () =>
      (await views.status()).some(({ failing }) => failing !== undefined),
    )
    const failing = (await views.status()).filter((status) => status.failing !== undefined)
    expect(failing).toMatchObject([
      {
        view: 'bad',
        stream: 'RUNS_0',
        sequence: 0,
        lag: 50,
        failing: { sequence: 1, error: 'always' },
      },
    ])
  })

  test('is rebuilt from zero when its stream was made anew', async () => {
    await there(run(), await appendRow(backend.store, 'runs.0.p1.old', 10))
    await stop()
    await backend[Symbol.asyncDispose]()
    backend = await createEmbeddedStore()
    const fresh = await appendRow(backend.store, 'runs.0.p1.new', 3)
    const other = await appendRow(backend.store, 'runs.2.p1.new', 4)
    const one = run()
    await there(one, fresh)
    await there(one, other)
    await until(
      'only new rows',
      async () => (await totals()).join() === 'runs.0.p1.new=3,runs.2.p1.new=4',
    )
  })

  test('is rebuilt from zero when its stream lost its end', async () => {
    const commits = await appendRow(backend.store, 'runs.0.p1.r1', 5)
    const quietStream = await appendRow(backend.store, 'runs.1.p1.r2', 5)
    const first = run()
    await there(first, commits)
    await there(first, quietStream)
    await stop()
    await sql`update view_checkpoints set sequence = 9 where stream = 'RUNS_0'`.execute(
      database.untyped,
    )
    await sql`insert into sums values ('runs.0.p1.lost', 4, 4)`.execute(database.untyped)
    run()
    await until(
      'the lost rows are gone',
      async () => (await totals()).join() === 'runs.0.p1.r1=5,runs.1.p1.r2=5',
    )
  })

  test('rebuilt while it is read gives equal rows, and goes on after it', async () => {
    const one = run()
    const commits = await appendRow(backend.store, 'runs.0.p1.r1', 300)
    await there(one, commits)
    await there(one, await appendRow(backend.store, 'runs.1.p1.r2', 40))
    const before = await hashOfTables(database, tables)
    await sql`update sums set total = 0`.execute(database.untyped)
    expect(await hashOfTables(database, tables)).not.toEqual(before)
    expect(await rebuildView({ view, database, store: backend.store })).toBe(340)
    expect(await hashOfTables(database, tables)).toEqual(before)
    await there(one, await appendRow(backend.store, 'runs.0.p1.r1', 5))
    expect(await totals()).toEqual(['runs.0.p1.r1=305', 'runs.1.p1.r2=40'])
  })

  test('a rebuild that fails leaves the old rows', async () => {
    await there(run(), await appendRow(backend.store, 'runs.0.p1.r1', 5))
    await stop()
    const broken: View<SumsSchema> = { ...view, apply: () => Promise.reject(new Error('broken')) }
    await expect(rebuildView({ view: broken, database, store: backend.store })).rejects.toThrow(
      'broken',
    )
    expect(await totals()).toEqual(['runs.0.p1.r1=5'])
  })

  test('who waits for a position ends the rest between batches', async () => {
    // A rest without an end, so that only the waiting can be what ends it.
    const restMs = dialect === 'pg' ? 15 : 100
    const sleep: Timers['sleep'] = (ms, signal) =>
      systemTimers.sleep(ms === restMs ? 60_000 : ms, signal)
    const reading = run({ timers: { ...systemTimers, sleep } })
    await there(reading, await appendRow(backend.store, 'runs.0.p1.r1', 1))
    await there(reading, await appendRow(backend.store, 'runs.0.p1.r1', 2))
    expect(await totals()).toEqual(['runs.0.p1.r1=3'])
  })

  test('a position is awaited, and unavailable when it does not come in time', async () => {
    const one = run()
    const waiting = one.waitForPosition({ stream: 'RUNS_0', sequence: 3 }, { timeoutMs: 10_000 })
    await appendRow(backend.store, 'runs.0.p1.r1', 3)
    await waiting
    expect(await totals()).toEqual(['runs.0.p1.r1=3'])
    await expect(
      one.waitForPosition({ stream: 'RUNS_0', sequence: 4 }, { timeoutMs: 30 }),
    ).rejects.toMatchObject({
      code: 'unavailable',
      details: { reason: 'view_behind', retryAfterMs: 1_000 },
    })
    await expect(one.waitForPosition({ stream: 'SESSIONS', sequence: 1 })).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'min_position' },
    })
    const left = one.waitForPosition(
      { stream: 'RUNS_0', sequence: 4 },
      { signal: AbortSignal.abort() },
    )
    await expect(left).rejects.toMatchObject({ code: 'cancelled' })
  })
})
