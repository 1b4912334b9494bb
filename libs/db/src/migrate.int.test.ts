import { type PostgresServer, startPostgres } from '@sciencediscovery/testing'
import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  checkpointMigration,
  migrate,
  type Migration,
  openDatabase,
  openPglite,
  pendingMigrations,
  type Pglite,
  revert,
} from './index.js'

const making = (table: string): Migration => ({
  name: `2026-make-${table}`,
  up: async (db) => {
    await sql`create table ${sql.id(table)} (id int)`.execute(db)
  },
  down: async (db) => {
    await sql`drop table ${sql.id(table)}`.execute(db)
  },
})
const failing: Migration = { ...making('never'), up: () => Promise.reject(new Error('stop here')) }
const all = [checkpointMigration, making('plants'), making('animals')]
const names = all.map(({ name }) => name)

let server: PostgresServer
let pglite: Pglite
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-migrate-'))
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

describe.each([
  ['pg', (schema: string) => openDatabase({ url: server.url, schema })],
  ['pglite', (schema: string) => openDatabase({ pglite, schema })],
] as const)('migrations on %s', (_dialect, open) => {
  test('are applied once, in order', async () => {
    await using database = await open('once')
    expect(await pendingMigrations(database, all)).toEqual(names)
    expect(await migrate(database, all)).toEqual(names)
    expect(await migrate(database, all)).toEqual([])
    expect(await pendingMigrations(database, all)).toEqual([])
  })

  test('that an older program does not know are left alone', async () => {
    await using database = await open('older')
    await migrate(database, all)
    expect(await pendingMigrations(database, all.slice(0, 1))).toEqual([])
    expect(await migrate(database, all.slice(0, 1))).toEqual([])
  })

  test('are all or nothing', async () => {
    await using database = await open('nothing')
    await expect(migrate(database, [...all, failing])).rejects.toThrow('stop here')
    expect(await pendingMigrations(database, all)).toEqual(names)
  })

  test('are reverted newest first, down to the named one', async () => {
    await using database = await open('reverted')
    await migrate(database, all)
    expect(await revert(database, all, names[0])).toEqual([names[2], names[1]])
    expect(await pendingMigrations(database, all)).toEqual([names[1], names[2]])
    expect(await migrate(database, all)).toEqual([names[1], names[2]])
  })

  test('with one name twice are refused', async () => {
    await using database = await open('doubles')
    await expect(migrate(database, [...all, ...all])).rejects.toMatchObject({ code: 'bug' })
  })
})

describe('migrations on pg', () => {
  test('from five processes at once are applied once', async () => {
    const databases = await Promise.all(
      [1, 2, 3, 4, 5].map(() => openDatabase({ url: server.url, schema: 'raced' })),
    )
    const applied = await Promise.all(databases.map((database) => migrate(database, all)))
    expect(applied.flat()).toEqual(names)
    await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()))
  })
})
