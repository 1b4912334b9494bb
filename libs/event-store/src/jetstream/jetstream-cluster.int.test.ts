import {
  after,
  commitOf,
  eventStoreContract,
  natsBackend,
  startNats,
  until,
} from '@sciencediscovery/testing'
import { type NatsServers } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, collect, counterType, fixedClock } from '@sciencediscovery/testing'
import { createAggregates } from '../create-aggregates.js'
import { type JetStreamStore, connectJetStream } from './connect-jetstream.js'

const { skip } = natsBackend()

/** Clients of one cluster; each connects to a server of its own. */
function clientsOf(
  servers: NatsServers,
  prefix: string,
): { connect: () => Promise<JetStreamStore>; close: () => Promise<void> } {
  const clients: JetStreamStore[] = []
  return {
    connect: async () => {
      const first = clients.length % servers.urls.length
      const urls = [...servers.urls.slice(first), ...servers.urls.slice(0, first)]
      const client = await connectJetStream({
        servers: urls,
        prefix,
        replicas: 3,
        queueAckWaitMs: 1_000,
      })
      clients.push(client)
      return client
    },
    close: async () => {
      for (const client of clients) await client[Symbol.asyncDispose]()
    },
  }
}

eventStoreContract(
  'JetStream, three replicas',
  async () => {
    const servers = await startNats({ nodes: 3 })
    const { connect, close } = clientsOf(servers, 'contract')
    return {
      ackWaitMs: 1_000,
      connect,
      [Symbol.asyncDispose]: async () => {
        await close()
        await servers[Symbol.asyncDispose]()
      },
    }
  },
  { skip },
)

describe.skipIf(skip !== undefined)('three replicas', () => {
  let servers: NatsServers
  let clients: ReturnType<typeof clientsOf>
  beforeAll(async () => {
    servers = await startNats({ nodes: 3 })
    clients = clientsOf(servers, 'chaos')
  })
  afterAll(async () => {
    await clients.close()
    await servers[Symbol.asyncDispose]()
  })

  test('10164 and 10071: of two writers through two servers one wins, 40 times over', async () => {
    const [left, right] = [await clients.connect(), await clients.connect()]
    const subject = 'runs.0.p1.race'
    let last = await left.store.append(commitOf(subject, 'start'), 0)
    for (let round = 0; round < 40; round += 1) {
      const append = (client: JetStreamStore, name: string): Promise<string> =>
        codeOf(
          client.store.append(commitOf(subject, `${name}-${round}`, after(last)), last.sequence),
        )
      const codes = await Promise.all([append(left, 'left'), append(right, 'right')])
      expect(codes.sort()).toEqual(['conflict', 'done'])
      const now = await left.store.last(subject)
      if (!now) throw new Error('nothing there')
      last = now
    }
    expect(last.commit.version).toBe(41)
  })

  test('R3: a server is killed under commands; nothing acknowledged is lost, nothing is done twice', async () => {
    const { store } = await clients.connect()
    const counters = createAggregates(counterType, {
      store,
      clock: fixedClock(),
      writer: 'replica-1',
    })
    const subject = 'runs.1.p1.killed'
    const acknowledged: string[] = []
    const one = async (index: number): Promise<void> => {
      const commandId = `command-${index}`
      const meta = { commandId, causationId: 'c', correlationId: 'r', deadlineMs: 30_000 }
      await counters.handle(subject, { type: 'Add', amount: 1 }, meta)
      acknowledged.push(commandId)
    }
    const work = (async () => {
      for (let index = 0; index < 150; index += 1) await one(index)
    })()
    await until('some are done', () => acknowledged.length >= 30)
    const [victim] = servers.nodes
    await victim?.signal('SIGKILL')
    await work
    await victim?.start()
    const folded = await counters.load(subject)
    expect(folded).toMatchObject({ state: { total: 150 }, version: 150 })
    const stored = await collect(store.read(subject, { upToSequence: folded.sequence }))
    expect(stored.map(({ commit }) => commit.commandId)).toEqual(acknowledged)
  }, 120_000)

  test('followers of a subject and of a stream go on after the server they were connected to is killed', async () => {
    const [writer, reader] = [await clients.connect(), await clients.connect()]
    const subject = 'artifacts.p1.watched'
    const seen: { subject: number[]; stream: number[] } = { subject: [], stream: [] }
    const stopped = new AbortController()
    const { signal } = stopped
    const following = Promise.all([
      (async () => {
        for await (const stored of reader.store.followSubject(subject, 0, signal))
          seen.subject.push(stored.sequence)
      })(),
      (async () => {
        for await (const batch of reader.store.followStream('ARTIFACTS', 0, {
          batch: 10,
          signal,
        })) {
          seen.stream.push(...batch.map((stored) => stored.sequence))
        }
      })(),
    ])
    const counters = createAggregates(counterType, {
      store: writer.store,
      clock: fixedClock(),
      writer: 'replica-2',
    })
    const sequences: number[] = []
    for (let index = 0; index < 60; index += 1) {
      if (index === 20) await servers.nodes[2]?.signal('SIGKILL')
      const meta = {
        commandId: `command-${index}`,
        causationId: 'c',
        correlationId: 'r',
        deadlineMs: 30_000,
      }
      const { commit } = await counters.handle(subject, { type: 'Add', amount: 1 }, meta)
      sequences.push(commit?.sequence ?? 0)
    }
    await servers.nodes[2]?.start()
    await until('all are seen', () => seen.subject.length >= 60 && seen.stream.length >= 60, 40_000)
    stopped.abort()
    await following
    expect(seen).toEqual({ subject: sequences, stream: sequences })
  }, 120_000)
})
