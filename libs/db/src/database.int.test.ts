import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toPlatformError } from '@sciencediscovery/kernel'
import { type PostgresServer, startPostgres } from '@sciencediscovery/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  openDatabase,
  openPglite,
  type Database,
  type DatabaseOptions,
  type Pglite,
} from './index.js'

interface Tables {
  readonly notes: { readonly id: number; readonly text: string; readonly tags: string | null }
}

let server: PostgresServer
let directory: string
let pglite: Pglite

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-db-'))
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

const places: readonly (readonly [string, () => Omit<DatabaseOptions, 'schema'>])[] = [
  ['pg', () => ({ url: server.url })],
  ['pglite', () => ({ pglite })],
]

describe.each(places)('database on %s', (dialect, place) => {
  let database: Database<Tables>

  beforeAll(async () => {
    database = await openDatabase<Tables>({ ...place(), schema: 'notes' })
    await sql`create schema notes`.execute(database.untyped)
    await sql`create table notes (id bigint primary key, text text not null, tags jsonb)`.execute(
      database.untyped,
    )
  })

  afterAll(() => database[Symbol.asyncDispose]())

  test('says which it is', () => {
    expect(database.dialect).toBe(dialect)
  })

  test('a text with NUL is kept with a replacement, and looked for as such', async () => {
    const text = 'a\u0000b'
    await database.db.insertInto('notes').values({ id: 900, text, tags: null }).execute()
    const found = database.db.selectFrom('notes').select(['id', 'text']).where('text', 'in', [text])
    expect(await found.execute()).toEqual([{ id: 900, text: 'a\ufffdb' }])
    await database.db.deleteFrom('notes').where('id', '=', 900).execute()
  })

  test('int8 is a number, and one beyond the safe integers is refused', async () => {
    const value = (text: string) =>
      sql<{ n: number }>`select ${sql.raw(text)}::int8 as n`.execute(database.db)
    expect((await value('9007199254740991')).rows).toEqual([{ n: 9007199254740991 }])
    await expect(value('9007199254740993')).rejects.toMatchObject({ code: 'bug' })
    expect((await value('1')).rows).toEqual([{ n: 1 }])
  })

  test('columns read alike on both', async () => {
    const { rows } =
      await sql`select '2026-11-30'::date as day, '\\x00ff'::bytea as bytes, 1.50::numeric as amount,
      array[1,2]::int8[] as list, '2026-11-30T01:02:03Z'::timestamptz as at, '{"a":[1]}'::jsonb as doc,
      true as yes, null::text as nothing, 0.5::float8 as half, count(*) as n`.execute(database.db)
    expect(rows).toEqual([
      {
        day: '2026-11-30',
        bytes: Buffer.from([0, 255]),
        amount: '1.50',
        list: [1, 2],
        at: new Date('2026-11-30T01:02:03Z'),
        doc: { a: [1] },
        yes: true,
        nothing: null,
        half: 0.5,
        n: 1,
      },
    ])
  })

  test('bytes, times and JSON text go in alike', async () => {
    const at = new Date('2026-11-30T01:02:03.004Z')
    const { rows } =
      await sql`select ${Buffer.from([1, 2])}::bytea as bytes, ${at}::timestamptz as at,
      ${JSON.stringify([1, { a: 2 }])}::jsonb as doc, ${['x', 'y"z']}::text[] as list`.execute(
        database.db,
      )
    expect(rows).toEqual([
      { bytes: Buffer.from([1, 2]), at, doc: [1, { a: 2 }], list: ['x', 'y"z'] },
    ])
  })

  test('a second row with the same key is already_exists', async () => {
    const row = { id: 7, text: 'seven', tags: null }
    await database.db.insertInto('notes').values(row).execute()
    const again = database.db.insertInto('notes').values(row).execute()
    await expect(again).rejects.toMatchObject({ code: 'already_exists' })
  })

  test('counts the rows an update changed', async () => {
    await database.db.insertInto('notes').values({ id: 20, text: 'x', tags: null }).execute()
    const changed = await database.db
      .updateTable('notes')
      .set({ text: 'y' })
      .where('id', '=', 20)
      .executeTakeFirst()
    expect(changed.numUpdatedRows).toBe(1n)
  })

  test('a transaction that throws leaves nothing behind', async () => {
    const failing = database.db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ id: 30, text: 'gone', tags: null }).execute()
      throw new Error('stop')
    })
    await expect(failing).rejects.toThrow('stop')
    expect(
      await database.db.selectFrom('notes').selectAll().where('id', '=', 30).execute(),
    ).toEqual([])
  })

  test('others see nothing of a transaction before it commits', async () => {
    const seen: number[] = []
    let look: Promise<unknown> | undefined
    await database.db.transaction().execute(async (tx) => {
      await tx.insertInto('notes').values({ id: 40, text: 'inside', tags: null }).execute()
      if (dialect === 'pg') {
        const rows = await database.db
          .selectFrom('notes')
          .select('id')
          .where('id', '=', 40)
          .execute()
        seen.push(rows.length)
      } else {
        look = database.db.selectFrom('notes').select('id').where('id', '=', 40).execute()
        seen.push(0)
      }
      await tx.deleteFrom('notes').where('id', '=', 40).execute()
    })
    expect(await look).toEqual(dialect === 'pg' ? undefined : [])
    expect(seen).toEqual([0])
  })

  test('schemas do not see each other', async () => {
    await using other = await openDatabase<Tables>({ ...place(), schema: 'other' })
    await expect(other.db.selectFrom('notes').selectAll().execute()).rejects.toMatchObject({
      code: 'unavailable',
    })
    expect(
      await database.db.selectFrom('notes').select('id').where('id', '=', -1).execute(),
    ).toEqual([])
  })

  test('a bad schema name is invalid and names the field', async () => {
    const opening = openDatabase({ ...place(), schema: 'a"; drop' })
    await expect(opening).rejects.toMatchObject({ code: 'invalid', details: { field: 'schema' } })
  })
})

describe('database on a server', () => {
  test('a server that is not there is unavailable', async () => {
    const opening = openDatabase({ url: 'postgres://scid@127.0.0.1:1/postgres', schema: 'x' })
    await expect(opening).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a slow statement ends with deadline and the connection stays usable', async () => {
    await using database = await openDatabase({
      url: server.url,
      schema: 'x',
      statementTimeoutMs: 50,
      poolSize: 1,
    })
    await expect(sql`select pg_sleep(5)`.execute(database.untyped)).rejects.toMatchObject({
      code: 'deadline',
    })
    expect((await sql`select 1 as one`.execute(database.untyped)).rows).toEqual([{ one: 1 }])
  })

  test('a connection that the server ends is unavailable, and the next statement gets a new one', async () => {
    await using database = await openDatabase({ url: server.url, schema: 'x', poolSize: 1 })
    await using killer = await openDatabase({ url: server.url, schema: 'x', poolSize: 1 })
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(
      database.untyped,
    )
    const sleeping = sql`select pg_sleep(30)`.execute(database.untyped)
    const failed = expect(sleeping).rejects.toMatchObject({ code: 'unavailable' })
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(killer.untyped)
    await failed
    expect((await sql`select 1 as one`.execute(database.untyped)).rows).toEqual([{ one: 1 }])
  })

  test('a commit without an answer is unknown', async () => {
    await using database = await openDatabase({ url: server.url, schema: 'public', poolSize: 2 })
    await sql
      .raw(
        `create table slow (id int);
         create function wait_here() returns trigger language plpgsql as 'begin perform pg_sleep(30); return null; end';
         create constraint trigger at_commit after insert on slow deferrable initially deferred
           for each row execute function wait_here()`,
      )
      .execute(database.untyped)
    let pid = 0
    const work = database.untyped.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await sql`insert into slow values (1)`.execute(tx)
      pid = rows[0]!.pid
    })
    const failed = expect(work).rejects.toMatchObject({ code: 'unknown' })
    await vi.waitFor(async () => {
      const { rows } = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where pid = ${pid} and query = 'commit'
      `.execute(database.untyped)
      expect(rows).toHaveLength(1)
    })
    await failed
  })

  test('a connection that breaks inside a transaction tells why, not that the rollback failed', async () => {
    await using database = await openDatabase({ url: server.url, schema: 'x', poolSize: 2 })
    const work = database.untyped.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(database.untyped)
      await sql`select 1`.execute(tx)
      throw new Error('not reached')
    })
    await expect(work).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('survives a restart of the server', async () => {
    await using database = await openDatabase({ url: server.url, schema: 'x', poolSize: 2 })
    await sql`select 1`.execute(database.untyped)
    await server.kill()
    await server.start()
    const first = sql`select 1 as one`.execute(database.untyped)
    const outcome = await first.catch(() => sql`select 1 as one`.execute(database.untyped))
    expect(outcome.rows).toEqual([{ one: 1 }])
  })

  test('lc_ctype C is refused with the remedy', async () => {
    await using ascii = await startPostgres({ initOptions: ['--locale=C'] })
    const refusal = await openDatabase({ url: ascii.url, schema: 'x' }).then(
      () => undefined,
      toPlatformError,
    )
    expect(refusal).toMatchObject({ code: 'unavailable', details: { reason: 'bad_locale' } })
    expect(refusal?.details.remedy).toContain("lc_ctype 'C.UTF-8'")
  })
})
