import { connect } from 'nats'
import {
  after,
  appendRow,
  codeOf,
  collect,
  commitOf,
  natsBackend,
  startNats,
  until,
} from '@sciencediscovery/testing'
import { type NatsServers, counterType, fixedClock } from '@sciencediscovery/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAggregates } from '../create-aggregates.js'
import { type JetStreamStore, connectJetStream } from './connect-jetstream.js'
import { loadStreamsFile } from './streams-file.js'

describe.skipIf(natsBackend().skip !== undefined)('JetStream', () => {
  let servers: NatsServers
  let client: JetStreamStore
  const connectTo = (options: object = {}): Promise<JetStreamStore> =>
    connectJetStream({
      servers: servers.urls,
      prefix: 'faults',
      requestTimeoutMs: 1_500,
      ...options,
    })
  beforeAll(async () => {
    servers = await startNats()
    client = await connectTo()
  })
  afterEach(() => server().signal('SIGCONT'))
  afterAll(async () => {
    await client[Symbol.asyncDispose]()
    await servers[Symbol.asyncDispose]()
  })
  const server = (): NatsServers['nodes'][number] => {
    const [node] = servers.nodes
    if (!node) throw new Error('no server')
    return node
  }
  const meta = (
    commandId: string,
  ): { commandId: string; causationId: string; correlationId: string; deadlineMs: number } => {
    return { commandId, causationId: 'c', correlationId: 'r', deadlineMs: 20_000 }
  }

  test('an append that is not answered is unknown, and its command is done once when the server is back', async () => {
    const subject = 'runs.0.p1.unanswered'
    const first = await client.store.append(commitOf(subject, 'a'), 0)
    await server().signal('SIGSTOP')
    const codes = await codeOf(
      client.store.append(commitOf(subject, 'b', after(first)), first.sequence),
    )
    expect(codes).toBe('unknown')
    const counters = createAggregates(counterType, {
      store: client.store,
      clock: fixedClock(),
      writer: 'w',
    })
    const handling = counters.handle(subject, { type: 'Add', amount: 1 }, meta('c'))
    await server().signal('SIGCONT')
    const { commit } = await handling
    const all = await collect(client.store.read(subject, { upToSequence: commit?.sequence ?? 0 }))
    const ids = all.map((stored) => stored.commit.commitId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.at(-1)).toBe(commit?.commit.commitId)
  })

  test('commands go on while the server is killed and started again', async () => {
    const counters = createAggregates(counterType, {
      store: client.store,
      clock: fixedClock(),
      writer: 'w',
    })
    const subject = 'runs.1.p1.restarted'
    let done = 0
    const work = (async () => {
      for (; done < 60; done += 1)
        await counters.handle(subject, { type: 'Add', amount: 1 }, meta(`c-${done}`))
    })()
    await until('some are done', () => done >= 20)
    await server().signal('SIGKILL')
    await server().start()
    await work
    expect(await counters.load(subject)).toMatchObject({ state: { total: 60 }, version: 60 })
  })

  test('reactors, followers and leases outlive the restart of the server', async () => {
    const seen: { reacted: number[]; followed: number[] } = { reacted: [], followed: [] }
    const stopped = new AbortController()
    const group = { name: 'outlive', noun: 'skills', slots: 2, ackWaitMs: 1_000 }
    await using member = await client.store.react(group, (delivery) => {
      return Promise.resolve(void seen.reacted.push(delivery.sequence))
    })
    const following = (async () => {
      const options = { batch: 10, signal: stopped.signal }
      for await (const batch of client.store.followStream('SKILLS', 0, options)) {
        seen.followed.push(...batch.map((stored) => stored.sequence))
      }
    })()
    await client.queue.offer('placement.outlive', 'job', 1)
    const lease = await client.queue.take('placement.outlive', AbortSignal.timeout(5_000))
    await appendRow(client.store, 'skills.p1.s1', 5)
    await until('five are seen', () => seen.followed.length >= 5 && new Set(seen.reacted).size >= 5)
    await server().signal('SIGKILL')
    await server().start()
    await until(
      'appends work',
      async () => (await codeOf(client.store.last('skills.p1.s1'))) === 'done',
    )
    const row = await appendRow(client.store, 'skills.p1.s1', 5)
    await until(
      'ten are seen',
      () => seen.followed.length >= 10 && new Set(seen.reacted).size >= 10,
      20_000,
    )
    stopped.abort()
    await following
    expect(seen.followed.slice(5)).toEqual(row.map((stored) => stored.sequence))
    expect(member).toBeDefined()
    expect(lease?.lost.aborted).toBe(false)
    await lease?.complete()
  }, 60_000)

  test('a lease is lost when the server does not hear from its holder for an ack wait', async () => {
    await using holder = await connectTo({ queueAckWaitMs: 600 })
    await holder.queue.offer('placement.silent', 'job', 1)
    const lease = await holder.queue.take('placement.silent', AbortSignal.timeout(5_000))
    await server().signal('SIGSTOP')
    await until('the lease is lost', () => lease?.lost.aborted === true)
    await server().signal('SIGCONT')
    expect(await codeOf(lease?.complete() ?? Promise.resolve())).toBe('conflict')
    await until(
      'the server answers',
      async () => (await codeOf(client.store.last('tools.p1.x'))) === 'done',
    )
    const other = await client.queue.take('placement.silent', AbortSignal.timeout(10_000))
    expect(other).toMatchObject({ id: 'job', attempt: 2 })
    await other?.complete()
  }, 60_000)

  test('a member that leaves with work it does not finish hands it to another', async () => {
    const group = { name: 'killed', noun: 'evolve', slots: 1, ackWaitMs: 500 }
    const doomed = await connectTo()
    let taken = 0
    await doomed.store.react(group, () => new Promise(() => (taken += 1)))
    await appendRow(client.store, 'evolve.p1.e1', 1)
    await until('it is taken', () => taken === 1)
    const attempts: number[] = []
    await using heir = await client.store.react(group, (delivery) =>
      Promise.resolve(void attempts.push(delivery.attempt)),
    )
    expect(heir).toBeDefined()
    const closing = doomed[Symbol.asyncDispose]()
    await until('the heir has it', () => attempts.length > 0, 20_000)
    expect(attempts[0]).toBeGreaterThanOrEqual(2)
    await closing
  }, 30_000)

  test('what does not hold a commit is a bug that names its place', async () => {
    const nc = await connect({ servers: [...servers.urls] })
    const ack = await nc.jetstream().publish('faults.sessions.p1.foreign', 'not a commit')
    await nc.close()
    const last = client.store.last('sessions.p1.foreign')
    await expect(last).rejects.toThrow(`SESSIONS/${ack.seq} does not hold a commit`)
  })

  test('prefixes keep installations apart', async () => {
    await using other = await connectTo({ prefix: 'elsewhere', streams: loadStreamsFile() })
    await appendRow(client.store, 'projects.p1.apart', 2)
    expect(await other.store.last('projects.p1.apart')).toBeUndefined()
    expect(await other.store.lastSequence('PROJECTS')).toBe(0)
    expect(await codeOf(connectTo({ prefix: 'Not.one' }))).toBe('invalid')
  })
})
