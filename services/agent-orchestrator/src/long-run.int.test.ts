import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { openPglite } from '@sciencediscovery/db'
import {
  type EventStore,
  type StoredCommit,
  createEmbeddedStore,
} from '@sciencediscovery/event-store'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { ToolServiceService } from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import {
  connectChannel,
  createGrpcServer,
  createLifecycle,
  createLogger,
} from '@sciencediscovery/service-kit'
import { rpcClient, staticTokenAuth } from '@sciencediscovery/service-kit'
import { afterAll, describe, expect, test } from 'vitest'
import { loadOrchestratorConfig } from './config.js'
import { createService } from './service.js'

const turns = 2_000
const token = 'token-of-the-long-run'
const lifecycle = createLifecycle()
afterAll(() => lifecycle[Symbol.asyncDispose]())

/** The store, and how many events of runs were read from it to fold a state. */
function counting(store: EventStore): { readonly store: EventStore; readonly read: () => number } {
  let read = 0
  const counted: EventStore['read'] = async function* counted(subject, range, signal) {
    for await (const stored of store.read(subject, range, signal)) {
      if (subject.startsWith('runs.')) read += stored.commit.events.length
      yield stored
    }
  }
  const last: EventStore['last'] = async (subject, signal) => {
    const found: StoredCommit | undefined = await store.last(subject, signal)
    if (found && subject.startsWith('runs.')) read += found.commit.events.length
    return found
  }
  const kept = new Proxy(store, {
    get: (target, name) => {
      if (name === 'read') return counted
      if (name === 'last') return last
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  return { store: kept, read: () => read }
}

/** A real orchestrator on the embedded ledger; its gateway offers no tool, so each turn makes a plan. */
async function startOrchestrator() {
  const logger = createLogger('test', { level: 'silent' })
  const directory = await mkdtemp(join(tmpdir(), 'scid-long-run-'))
  lifecycle.defer(() => rm(directory, { recursive: true, force: true }))
  const embedded = lifecycle.use(await createEmbeddedStore({ directory }))
  const blobs = await createDirectoryBlobStore({ directory: join(directory, 'blobs'), fsync: true })
  const templateDirectory = join(tmpdir(), 'scid-pglite-0.5.14')
  const pglite = lifecycle.use(
    await openPglite({ directory: join(directory, 'pglite'), templateDirectory, logger }),
  )
  const authenticate = staticTokenAuth([{ token, principal: { id: 'test', roles: ['service'] } }])
  const gateway = lifecycle.use(
    createGrpcServer({ host: '127.0.0.1', port: 0, authenticate, logger }),
  )
  gateway.add(ToolServiceService, {
    listTools: () => Promise.resolve({ tools: [] }),
    invoke: async function* invoke() {},
    cancelCall: () => Promise.resolve({ known: false }),
  })
  const { address } = await gateway.start()
  const config = loadOrchestratorConfig({
    SCIENCE_DISCOVERY_TOKEN: token,
    GATEWAY_ADDRESS: address,
    SCIENCE_DISCOVERY_DATA_DIR: directory,
  })
  const ports = embedded.attach()
  const { store, read } = counting(ports.store)
  const service = lifecycle.use(
    await createService({ ...config, port: 0 }, { ...ports, store, blobs, pglite, logger }),
  )
  return { channel: lifecycle.use(connectChannel(service.address, { token })), read }
}

const script = {
  turns: [
    ...Array.from({ length: turns - 1 }, (_, at) => ({
      text: `turn ${at}`,
      toolCalls: [
        {
          id: `p${at}`,
          name: 'update_plan',
          arguments: { plan: [{ step: `step ${at}`, status: 'in_progress' }] },
        },
      ],
    })),
    { text: 'done' },
  ],
}

describe(`a run of ${turns} turns`, () => {
  test('completes, and reads each of its events a bounded number of times in all', async () => {
    const { channel, read } = await startOrchestrator()
    const sessions = rpcClient(SessionServiceService, channel)
    const { session } = await sessions.createSession({
      ...{ idempotencyKey: 'session', projectId: '', settings: undefined },
    })
    const runs = rpcClient(RunServiceService, channel)
    const { runId } = await runs.startRun({
      ...{ idempotencyKey: 'run', sessionId: session?.sessionId ?? '', projectId: '' },
      ...{ message: 'go on', model: '', maxModelTurns: turns + 1 },
      script: Buffer.from(JSON.stringify(script)),
    })
    const seen: string[] = []
    const turnEnds: number[] = []
    for await (const { item } of runs.watchRun({ runId, afterPosition: 0n, includeLive: false })) {
      if (item?.$case !== 'event') continue
      seen.push(item.value.type)
      expect(item.value.position).toBe(BigInt(seen.length))
      if (item.value.type === 'model.turn.completed') turnEnds.push(performance.now())
    }
    expect(seen.at(-1)).toBe('run.completed')
    expect(seen.filter((type) => type === 'model.turn.completed')).toHaveLength(turns)
    expect(read()).toBeLessThanOrEqual(3 * seen.length)
    expect(millisecondsPerTurn(turnEnds.slice(-101))).toBeGreaterThan(0)
  }, 300_000)
})

function millisecondsPerTurn(ends: readonly number[]): number {
  return ((ends.at(-1) ?? 0) - (ends[0] ?? 0)) / Math.max(1, ends.length - 1)
}
