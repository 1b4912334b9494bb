import {
  type NatsServers,
  commitOf,
  natsBackend,
  startNats,
  until,
} from '@sciencediscovery/testing'
import { type NatsConnection, NatsError, connect } from 'nats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type JetStreamStore, connectJetStream } from './connect-jetstream.js'
import { authorizationConf, passwordVariableOf } from './server-conf.js'
import { loadStreamsFile } from './streams-file.js'
import { inboxPrefixOf, usersOf } from './user-permissions.js'
import { loadUsersFile } from './users-file.js'

const { skip } = natsBackend()
const runShards = 2
const users = usersOf({ streams: loadStreamsFile(), users: loadUsersFile(), runShards })
const passwordOf = (user: string): string => `password-of-${user}`
const run = 'runs.0.p.r-0-0123456789abcdef-p'
const workspace = 'workspaces.p.w-local-0123456789abcdef-p'

let servers: NatsServers
const connections = new Map<string, NatsConnection>()
const stores: JetStreamStore[] = []

function storeOf(user: string): Promise<JetStreamStore> {
  const credentials = { kind: 'user', user, password: passwordOf(user) } as const
  return connectJetStream({ servers: servers.urls, credentials, runShards, readyTimeoutMs: 5_000 })
}

const of = (user: string): NatsConnection => {
  const connection = connections.get(user)
  if (!connection) throw new Error(`no connection of ${user}`)
  return connection
}

/** Every service joins its reactor groups, so that there are durable consumers to attack. */
beforeAll(async () => {
  if (skip !== undefined) return
  const env = Object.fromEntries(
    users.map(({ name }) => [passwordVariableOf(name), passwordOf(name)]),
  )
  servers = await startNats({ further: { conf: authorizationConf(users), env } })
  await (await storeOf('migrate'))[Symbol.asyncDispose]()
  for (const { name } of users) {
    const [user, pass] = [name, passwordOf(name)]
    const inboxPrefix = inboxPrefixOf(name)
    connections.set(name, await connect({ servers: [...servers.urls], user, pass, inboxPrefix }))
  }
  for (const { name, reactors } of loadUsersFile().users) {
    const store = await storeOf(name)
    stores.push(store)
    for (const { stream, consumer } of reactors) {
      const noun = stream.toLowerCase().replace('_{shard}', '')
      await store.store.react({ name: consumer, noun, slots: 2 }, () => Promise.resolve())
    }
  }
}, 120_000)

afterAll(async () => {
  if (skip !== undefined) return
  for (const store of stores) await store[Symbol.asyncDispose]()
  for (const connection of connections.values()) await connection.close()
  await servers[Symbol.asyncDispose]()
})

/** How the server answers: `denied`, or whatever else it says. */
async function attempt(user: string, subject: string, body: unknown = ''): Promise<string> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  try {
    const answer = await of(user).request(subject, payload, { timeout: 2_000 })
    return answer.string().slice(0, 300)
  } catch (error) {
    if (!(error instanceof NatsError)) throw error
    return error.code === 'PERMISSIONS_VIOLATION' ? 'denied' : error.code
  }
}

async function attemptToListen(user: string, subject: string): Promise<string> {
  let found = 'listens'
  const subscription = of(user).subscribe(subject, {
    callback: (error) => {
      if (error) found = 'denied'
    },
  })
  await of(user).flush()
  subscription.unsubscribe()
  return found
}

describe.skipIf(skip !== undefined)('NATS users › refused operations (S8)', () => {
  const api = '$JS.API.'
  const steal = { stream_name: 'RUNS_0', config: { durable_name: 'agent-orchestrator-runs' } }
  test.each<[string, string, string, unknown?]>([
    ['S8-01 a runner does not write a run', 'execution-runner', run],
    ['S8-02 a runner does not write a session', 'execution-runner', 'sessions.p.s-1'],
    ['S8-03 a runner does not write an artifact', 'execution-runner', 'artifacts.p.a-1'],
    ['S8-04 an artifact store does not write a run', 'artifact-store', run],
    ['S8-05 an artifact store does not write a workspace', 'artifact-store', workspace],
    ['S8-06 an orchestrator does not write a workspace', 'agent-orchestrator', workspace],
    ['S8-07 an orchestrator does not offer a placement', 'agent-orchestrator', 'placement.local.x'],
    ['S8-08 a gateway does not write a run', 'tool-gateway', run],
    ['S8-09 nobody purges what they write', 'agent-orchestrator', `${api}STREAM.PURGE.RUNS_0`],
    [
      'S8-10 nobody deletes a stream of theirs',
      'execution-runner',
      `${api}STREAM.DELETE.WORKSPACES`,
    ],
    [
      'S8-11 nobody deletes a message of theirs',
      'agent-orchestrator',
      `${api}STREAM.MSG.DELETE.RUNS_0`,
      { seq: 1 },
    ],
    ['S8-12 nobody changes a stream', 'agent-orchestrator', `${api}STREAM.UPDATE.RUNS_0`, {}],
    ['S8-13 no service makes a stream', 'artifact-store', `${api}STREAM.CREATE.MINE`, {}],
    ['S8-14 nobody restores a stream', 'artifact-store', `${api}STREAM.RESTORE.RUNS_0`, {}],
    ['S8-15 nobody takes a copy of a stream', 'artifact-store', `${api}STREAM.SNAPSHOT.RUNS_0`, {}],
    [
      'S8-16 nobody deletes the consumer of a reactor of others',
      'artifact-store',
      `${api}CONSUMER.DELETE.RUNS_0.agent-orchestrator-runs`,
    ],
    [
      'S8-17 nobody deletes the consumer of a reactor, not even their own',
      'agent-orchestrator',
      `${api}CONSUMER.DELETE.WORKSPACES.agent-orchestrator-effects`,
    ],
    [
      'S8-18 nobody takes deliveries of a reactor of others',
      'execution-runner',
      `${api}CONSUMER.MSG.NEXT.WORKSPACES.agent-orchestrator-effects`,
      { batch: 1, no_wait: true },
    ],
    [
      'S8-19 nobody makes a consumer in the name of others',
      'artifact-store',
      `${api}CONSUMER.DURABLE.CREATE.RUNS_0.agent-orchestrator-runs`,
      steal,
    ],
    [
      'S8-20 nobody acknowledges deliveries of others',
      'artifact-store',
      '$JS.ACK.RUNS_0.agent-orchestrator-runs.1.1.1.1.0',
      '+ACK',
    ],
    [
      'S8-21 a runner does not read runs',
      'execution-runner',
      `${api}STREAM.MSG.GET.RUNS_0`,
      { seq: 1 },
    ],
    [
      'S8-22 a runner does not read sessions directly',
      'execution-runner',
      `${api}DIRECT.GET.SESSIONS`,
      { seq: 1 },
    ],
    [
      'S8-23 an artifact store does not read sessions',
      'artifact-store',
      `${api}CONSUMER.CREATE.SESSIONS`,
      {},
    ],
    [
      'S8-24 a gateway does not read workspaces',
      'tool-gateway',
      `${api}CONSUMER.CREATE.WORKSPACES`,
      {},
    ],
    [
      'S8-25 nobody lists the consumers of a stream',
      'artifact-store',
      `${api}CONSUMER.NAMES.RUNS_0`,
    ],
    ['S8-26 a runner does not call orchestrators', 'execution-runner', 'replica.orch-1'],
    ['S8-27 a gateway tells nothing live', 'tool-gateway', 'live.r-1'],
    ['S8-28 nobody asks the server about itself', 'agent-orchestrator', '$SYS.REQ.SERVER.PING'],
    ['S8-29 who makes streams does not write in them', 'migrate', run],
    [
      'S8-30 who makes streams does not read them',
      'migrate',
      `${api}STREAM.MSG.GET.RUNS_0`,
      { seq: 1 },
    ],
    ['S8-31 who makes streams does not purge them', 'migrate', `${api}STREAM.PURGE.RUNS_0`],
    [
      'S8-32 nobody steps a leader down',
      'agent-orchestrator',
      `${api}STREAM.LEADER.STEPDOWN.RUNS_0`,
    ],
  ])('%s', async (_, user, subject, body) => {
    expect(await attempt(user, subject, body)).toBe('denied')
  })

  test.each<[string, string, string]>([
    [
      'S8-40 answers to others are not listened to',
      'artifact-store',
      '_INBOX_agent-orchestrator.>',
    ],
    ['S8-41 nobody listens to every inbox', 'execution-runner', '_INBOX.>'],
    ['S8-42 a runner does not listen to live text', 'execution-runner', 'live.>'],
    ['S8-43 a runner does not listen to runs', 'execution-runner', 'runs.>'],
    ['S8-44 a gateway listens to nothing of others', 'tool-gateway', 'workspaces.>'],
    ['S8-45 nobody listens to everything', 'agent-orchestrator', '>'],
    ['S8-46 nobody listens to acknowledgements', 'artifact-store', '$JS.ACK.>'],
  ])('%s', async (_, user, subject) => {
    expect(await attemptToListen(user, subject)).toBe('denied')
  })

  test('S8-50 a reader that is given the name of a reactor does not become it', async () => {
    const wanted = { ack_policy: 'explicit', deliver_policy: 'all', replay_policy: 'instant' }
    for (const name of [{ name: 'agent-orchestrator-runs' }, steal.config]) {
      const body = { stream_name: 'RUNS_0', config: { ...wanted, ...name } }
      const answer = await attempt('artifact-store', `${api}CONSUMER.CREATE.RUNS_0`, body)
      expect(answer).not.toContain('"name":"agent-orchestrator-runs"')
    }
  })

  test('S8-51 a wrong password opens nothing', async () => {
    const wrong = connect({ servers: [...servers.urls], user: 'artifact-store', pass: 'guess' })
    await expect(wrong).rejects.toMatchObject({ code: 'AUTHORIZATION_VIOLATION' })
    await expect(connect({ servers: [...servers.urls] })).rejects.toMatchObject({
      code: 'AUTHORIZATION_VIOLATION',
    })
  })
})

describe.skipIf(skip !== undefined)('NATS users › what each needs', () => {
  test('the writer of a stream appends, reads and follows it; a reader of others hears of it', async () => {
    const runner = await storeOf('execution-runner')
    const artifacts = await storeOf('artifact-store')
    stores.push(runner, artifacts)
    const seen: number[] = []
    const stop = new AbortController()
    const following = (async () => {
      const options = { batch: 10, signal: stop.signal }
      for await (const batch of artifacts.store.followStream('WORKSPACES', 0, options)) {
        seen.push(...batch.map(({ sequence }) => sequence))
      }
    })()
    const { sequence } = await runner.store.append(commitOf(workspace, 'k-1'), 0)
    await until('the other service has read it', () => seen.includes(sequence), 10_000)
    expect(await runner.store.last(workspace)).toMatchObject({ sequence })
    const pages: number[] = []
    for await (const stored of artifacts.store.read(workspace, { upToSequence: sequence }))
      pages.push(stored.sequence)
    expect(pages).toEqual([sequence])
    stop.abort()
    await following
    await expect(
      artifacts.store.append(commitOf(workspace, 'k-1'), sequence),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('an orchestrator asks another and is answered; placements are offered and taken', async () => {
    const [one, other] = [await storeOf('agent-orchestrator'), await storeOf('agent-orchestrator')]
    const runner = await storeOf('execution-runner')
    stores.push(one, other, runner)
    await other.signals.respond('replica.orch-2', () => Promise.resolve('alive'))
    expect(await one.signals.request('replica.orch-2', {}, 5_000)).toBe('alive')
    await runner.queue.offer('placement.local', 'w-1:1', { workspaceId: 'w-1' })
    const lease = await runner.queue.take('placement.local', AbortSignal.timeout(10_000))
    expect(lease?.id).toBe('w-1:1')
    await lease?.complete()
  })
})
