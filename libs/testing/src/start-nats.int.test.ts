import { connectJetStream } from '@sciencediscovery/event-store'
import { describe, expect, test } from 'vitest'
import { appendRow } from './commits.js'
import { natsBackend, startNats } from './start-nats.js'

describe.skipIf(natsBackend().skip !== undefined)('startNats', () => {
  test('gives a server that syncs before it acknowledges and keeps its files over a kill', async () => {
    await using servers = await startNats()
    const [node] = servers.nodes
    const setting = {
      servers: servers.urls,
      monitoringUrls: servers.monitoringUrls,
      requestTimeoutMs: 1_000,
    }
    await using client = await connectJetStream(setting)
    expect(await client.store.describe()).toMatchObject({ backend: 'jetstream', durable: true })
    const [stored] = await appendRow(client.store, 'sessions.p1.kept', 1)
    await node?.signal('SIGKILL')
    await node?.start()
    await using again = await connectJetStream(setting)
    expect(await again.store.last('sessions.p1.kept')).toEqual(stored)
  })
})
