import { connect } from 'nats'
import { codeOf, natsBackend, startNats } from '@sciencediscovery/testing'
import { type NatsServers } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectJetStream } from './connect-jetstream.js'
import { loadStreamsFile } from './streams-file.js'

describe.skipIf(natsBackend().skip !== undefined)('connecting to JetStream', () => {
  let servers: NatsServers
  beforeAll(async () => {
    servers = await startNats({ syncInterval: '2m' })
  })
  afterAll(() => servers[Symbol.asyncDispose]())
  const problemsOf = async (options: object): Promise<string> => {
    await using client = await connectJetStream({ servers: servers.urls, ...options })
    const { notes, durable } = await client.store.describe()
    return [`durable ${durable}`, ...notes.map((note) => note.problem)].join('\n')
  }

  test('creates every stream once; a second start finds them', async () => {
    await problemsOf({ prefix: 'twice' })
    expect(await problemsOf({ prefix: 'twice' })).not.toContain('stream TWICE')
    const nc = await connect({ servers: [...servers.urls] })
    const jsm = await nc.jetstreamManager()
    const { config } = await jsm.streams.info('TWICE_RUNS_3')
    expect(config).toMatchObject({
      subjects: ['twice.runs.3.>'],
      discard: 'new',
      duplicate_window: 120_000_000_000,
    })
    expect((await jsm.streams.names().next()).length).toBe(19)
    await nc.close()
  })

  test('the number of run streams stays what the first start made it', async () => {
    await using first = await connectJetStream({
      servers: servers.urls,
      prefix: 'shards',
      runShards: 2,
    })
    expect(first.store.streamsOf('runs')).toEqual(['RUNS_0', 'RUNS_1'])
    expect(await problemsOf({ prefix: 'shards', runShards: 8 })).toContain('2 streams, not 8')
    await using silent = await connectJetStream({ servers: servers.urls, prefix: 'shards' })
    expect(silent.store.runShards).toBe(2)
  })

  test('a stream that differs in what matters is refused, with the field; in size it is noted', async () => {
    await problemsOf({ prefix: 'differs' })
    const nc = await connect({ servers: [...servers.urls] })
    const jsm = await nc.jetstreamManager()
    await jsm.streams.update('DIFFERS_TOOLS', { max_bytes: 5_000_000 })
    expect(await problemsOf({ prefix: 'differs' })).toContain('DIFFERS_TOOLS: max_bytes is 5000000')
    await jsm.streams.update('DIFFERS_TOOLS', {
      max_age: 60_000_000_000,
      duplicate_window: 10_000_000_000,
    })
    const connecting = connectJetStream({ servers: servers.urls, prefix: 'differs' })
    await expect(connecting).rejects.toMatchObject({
      code: 'bug',
      details: { reason: 'stream_differs' },
    })
    await expect(connecting).rejects.toThrow('max_age is 60000000000, not 0')
    await nc.close()
  })

  test('a full stream refuses appends as exhausted and forgets nothing', async () => {
    const file = loadStreamsFile()
    const streams = {
      ...file,
      streams: file.streams.map((stream) => ({ ...stream, maxBytes: 20_000 })),
    }
    await using client = await connectJetStream({ servers: servers.urls, prefix: 'full', streams })
    const large = { type: 'x.y', v: 1, data: 'x'.repeat(15_000) }
    const append = (id: string): Promise<string> => {
      const subject = `sessions.p1.${id}`
      const links = {
        previousId: null,
        causationId: 'c',
        correlationId: 'r',
        writer: 'w',
        recordedAt: 'now',
      }
      const commit = {
        commitId: id,
        subject,
        version: 1,
        firstPosition: 1,
        commandId: id,
        events: [large],
        ...links,
      }
      return codeOf(client.store.append(commit, 0))
    }
    expect(await append('one')).toBe('done')
    expect(await append('two')).toBe('exhausted')
    expect(await client.store.last('sessions.p1.one')).toBeDefined()
  })

  test('says when a server acknowledges before it syncs, when that cannot be seen, and when copies are few', async () => {
    const seen = await problemsOf({ prefix: 'sync', monitoringUrls: servers.monitoringUrls })
    expect(seen).toContain('durable false')
    expect(seen).toContain('acknowledges before it syncs')
    expect(seen).toContain('1 of 3 copies')
    expect(await problemsOf({ prefix: 'sync' })).toContain('cannot see whether')
    expect(await problemsOf({ prefix: 'sync', monitoringUrls: ['http://127.0.0.1:9'] })).toContain(
      'does not tell',
    )
  })

  test('no server: unavailable, with the remedy and without the password', async () => {
    const connecting = connectJetStream({ servers: 'nats://me:secret@127.0.0.1:9' })
    await expect(connecting).rejects.toMatchObject({ code: 'unavailable' })
    await expect(connecting).rejects.toThrow('nats://127.0.0.1:9')
  })
})
