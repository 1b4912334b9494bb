import { openDatabase, type Database } from '@sciencediscovery/db'
import { createEmbeddedStore, type EmbeddedStore } from '@sciencediscovery/event-store'
import { appendRow, type PostgresServer, startPostgres, until } from '@sciencediscovery/testing'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PositionWaiter, runView, type RunningView } from './index.js'
import { prepare, quiet, sumsView, type SumsSchema } from './testing/sums-view.js'

const view = sumsView()
let server: PostgresServer
let backend: EmbeddedStore
let schemas = 0
let databases: Database<SumsSchema>[]
let readers: RunningView[]
let fences: number[]

const first = () => databases[0]!

beforeAll(async () => {
  server = await startPostgres()
})

afterAll(() => server[Symbol.asyncDispose]())

/** Two processes differ in their connections, their memory and their view of the bus: so do these two. */
beforeEach(async () => {
  backend = await createEmbeddedStore()
  const schema = `readers_${++schemas}`
  databases = await Promise.all(
    [1, 2].map(() => openDatabase<SumsSchema>({ url: server.url, schema })),
  )
  await prepare(first(), view)
  fences = [0, 0]
  readers = databases.map((database, index) =>
    runView({
      view,
      database,
      store: backend.store,
      logger: quiet,
      takeoverMs: 500,
      metrics: {
        applied: () => undefined,
        failed: () => undefined,
        rebuilt: () => undefined,
        fenced: () => {
          fences[index]! += 1
        },
      },
    }),
  )
})

afterEach(async () => {
  for (const one of [...readers, ...databases, backend]) await one[Symbol.asyncDispose]()
})

const subjects = [0, 1, 2, 3].flatMap((shard) => [1, 2].map((run) => `runs.${shard}.p1.r${run}`))
const writeAll = (count: number) =>
  Promise.all(subjects.map((subject) => appendRow(backend.store, subject, count)))
const allThere = async (count: number) => {
  const { rows } = await sql<{
    n: number
  }>`select count(*) as n from sums where total = ${count}`.execute(first().untyped)
  return rows[0]?.n === subjects.length
}

describe('two readers of one view', () => {
  test('lose nothing and double nothing', async () => {
    await writeAll(60)
    await until('every commit is in the tables', () => allThere(60), 30_000)
    const { rows } = await sql<{ n: number }>`select count(*) as n from sum_steps`.execute(
      first().untyped,
    )
    expect(rows).toEqual([{ n: subjects.length * 60 }])
  })

  test('settle on one that writes: the other stands by and is not fenced again and again', async () => {
    await writeAll(50)
    await until('every commit is in the tables', () => allThere(50), 30_000)
    const before = fences[0]! + fences[1]!
    await writeAll(50)
    await until('every commit is in the tables', () => allThere(100), 30_000)
    expect(before).toBeGreaterThan(0)
    expect(fences[0]! + fences[1]! - before).toBeLessThanOrEqual(8)
  })

  test('one goes, the other takes over', async () => {
    await writeAll(20)
    await until('every commit is in the tables', () => allThere(20), 30_000)
    await readers.shift()![Symbol.asyncDispose]()
    await writeAll(20)
    await until('every commit is in the tables', () => allThere(40), 30_000)
    await readers.shift()![Symbol.asyncDispose]()
    await writeAll(1)
    expect(await allThere(41)).toBe(false)
  })

  test('and a database that restarts under them: nothing is lost or doubled', async () => {
    await writeAll(30)
    const writing = writeAll(60)
    await server.kill()
    await server.start()
    await writing
    await until('every commit is in the tables', () => allThere(90).catch(() => false), 30_000)
  })

  test('a process that runs no reader can wait for a position too', async () => {
    await using other = await openDatabase({ url: server.url, schema: `readers_${schemas}` })
    const streams = backend.store.streamsOf('runs')
    const waiter = new PositionWaiter({ view: view.name, streams, database: other })
    const waiting = waiter.wait({ stream: 'RUNS_2', sequence: 5 }, { timeoutMs: 10_000 })
    await appendRow(backend.store, 'runs.2.p1.r1', 5)
    await waiting
    const { rows } = await sql<{
      total: number
    }>`select total from sums where subject = 'runs.2.p1.r1'`.execute(other.untyped)
    expect(rows).toEqual([{ total: 5 }])
  })
})
