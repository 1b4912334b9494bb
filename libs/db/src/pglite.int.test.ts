import { cp, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toPlatformError } from '@sciencediscovery/kernel'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase, openPglite, type SetAside } from './index.js'

let root: string
// Shared by all tests of this machine: making a data directory takes 5 s of a core.
const template = join(tmpdir(), 'scid-pglite-0.5.14')

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'scid-pglite-'))
  await using database = await openDatabase({
    directory: join(root, 'first'),
    templateDirectory: template,
    schema: 'x',
  })
  await sql`select 1`.execute(database.untyped)
})

afterAll(() => rm(root, { recursive: true, force: true }))

const open = (name: string) =>
  openDatabase({ directory: join(root, name), templateDirectory: template, schema: 'public' })

describe('embedded database in a directory', () => {
  test('keeps its rows from one start to the next', async () => {
    {
      await using database = await open('kept')
      await sql`create table t (id int)`.execute(database.untyped)
      await sql`insert into t values (1)`.execute(database.untyped)
    }
    await using database = await open('kept')
    expect((await sql`select id from t`.execute(database.untyped)).rows).toEqual([{ id: 1 }])
  })

  test('a start that was killed half way leaves no half directory behind', async () => {
    await cp(template, join(root, 'half.new-999999999'), { recursive: true })
    await using database = await open('half')
    await sql`select 1`.execute(database.untyped)
    expect((await readdir(root)).filter((name) => name.startsWith('half'))).toEqual(['half'])
  })

  test.each([
    [
      'control file is cut',
      (directory: string) => truncate(join(directory, 'global/pg_control'), 100),
    ],
    [
      'version is of another release',
      (directory: string) => writeFile(join(directory, 'PG_VERSION'), '11\n'),
    ],
    [
      'files are not a database',
      async (directory: string) => {
        await rm(join(directory, 'global'), { recursive: true })
        await rm(join(directory, 'base'), { recursive: true })
      },
    ],
  ])('whose %s is set aside, reported and rebuilt', async (what, damage) => {
    const name = what.split(' ')[0]!
    const directory = join(root, name)
    await cp(template, directory, { recursive: true })
    await damage(directory)
    const events: SetAside[] = []
    await using database = await openDatabase({
      directory,
      templateDirectory: template,
      schema: 'x',
      onSetAside: (event) => void events.push(event),
    })
    expect((await sql`select 1 as one`.execute(database.untyped)).rows).toEqual([{ one: 1 }])
    expect(events).toMatchObject([{ directory, movedTo: `${directory}.broken-1` }])
    expect(await readdir(`${directory}.broken-1`)).toContain('PG_VERSION')
  })
})

describe('one embedded database for several schemas', () => {
  test('is taken in turns: a transaction of one schema holds the others back', async () => {
    await using pglite = await openPglite({
      directory: join(root, 'shared'),
      templateDirectory: template,
      turnTimeoutMs: 50,
    })
    await using first = await openDatabase({ pglite, schema: 'public' })
    await using second = await openDatabase({ pglite, schema: 'second' })
    const work = first.untyped
      .transaction()
      .execute(async () => sql`select 1`.execute(second.untyped))
    const refusal = await work.then(() => undefined, toPlatformError)
    expect(refusal?.code).toBe('unavailable')
    expect(refusal?.details.remedy).toContain('transaction')
    expect((await sql`select 1 as one`.execute(second.untyped)).rows).toEqual([{ one: 1 }])
  })

  test('a closed one is unavailable', async () => {
    const pglite = await openPglite({
      directory: join(root, 'closed'),
      templateDirectory: template,
    })
    const database = await openDatabase({ pglite, schema: 'x' })
    await pglite[Symbol.asyncDispose]()
    await expect(sql`select 1`.execute(database.untyped)).rejects.toMatchObject({
      code: 'unavailable',
    })
  })
})

describe('embedded database in memory', () => {
  test('opens when nothing else is given', async () => {
    await using database = await openDatabase({ schema: 'public' })
    expect((await sql`select 1 as one`.execute(database.untyped)).rows).toEqual([{ one: 1 }])
  })
})
