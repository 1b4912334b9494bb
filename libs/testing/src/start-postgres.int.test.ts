import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { postgresBackend, startPostgres } from './start-postgres.js'

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

describe.skipIf(postgresBackend().skip !== undefined)('startPostgres', () => {
  test('gives a server in UTF-8 that keeps its files over a kill', async () => {
    await using server = await startPostgres()
    expect(await ask(server.url, 'show server_encoding')).toEqual([{ server_encoding: 'UTF8' }])
    await ask(server.url, 'create table kept as select 1 as x')
    await server.kill()
    await expect(ask(server.url, 'select 1')).rejects.toThrow()
    await server.start()
    expect(await ask(server.url, 'select x from kept')).toEqual([{ x: 1 }])
  })
})
