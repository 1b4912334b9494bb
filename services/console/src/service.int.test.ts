import { describe, expect, test } from 'vitest'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { notFound } from '@sciencediscovery/kernel'
import {
  connectChannel,
  createGrpcServer,
  createLogger,
  rpcClient,
  serviceTokenAuth,
  type Implementation,
} from '@sciencediscovery/service-kit'
import { addRun, startStack, type StackFixture } from './stack-fixture.js'
import { invoke } from './scid-fixture.js'
import { createService, type ConsoleService } from './service.js'

const runId = 'r-3-00000000000000aa-default'
const logger = createLogger('test', { level: 'silent' })
const accessToken = 'token-of-the-owner'
const nobody = '127.0.0.1:1'

type Overrides = Partial<Parameters<typeof createService>[0]>

function consoleAt(stack: StackFixture, overrides: Overrides = {}): Promise<ConsoleService> {
  const owner = stack.address
  return createService(
    {
      host: '127.0.0.1',
      port: 0,
      token: stack.token,
      accessToken,
      orchestratorAddress: owner,
      gatewayAddress: owner,
      artifactStoreAddress: owner,
      runnerAddresses: { local: owner },
      ...overrides,
    },
    { logger, diagnoseTimeoutMs: 1_000 },
  )
}

/** A runner that says which pool it is. */
async function startRunner(
  token: string,
  pool: string,
): Promise<AsyncDisposable & { address: string }> {
  const server = createGrpcServer({
    host: '127.0.0.1',
    port: 0,
    authenticate: serviceTokenAuth(token),
    logger,
  })
  const refuse = (): never => {
    throw notFound('file')
  }
  const workspaces: Implementation<typeof WorkspaceServiceService> = {
    listFiles: () => {
      const file = { path: pool, sizeBytes: 1n, modifiedAt: '', directory: false }
      return Promise.resolve({ files: [file], truncated: false, total: 1n, uncommitted: false })
    },
    globFiles: refuse,
    grepFiles: refuse,
    readFile: refuse,
    writeFile: refuse,
    editFile: refuse,
    putFile: refuse,
    resolveFiles: refuse,
    downloadFile: async function* () {
      yield { content: await Promise.resolve(Buffer.from(pool)) }
    },
    downloadArchive: async function* () {
      yield { content: await Promise.resolve(Buffer.from(pool)) }
    },
    listRunners: () => Promise.resolve({ runners: [] }),
  }
  server.add(WorkspaceServiceService, workspaces)
  const { address } = await server.start()
  return {
    address,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
    },
  }
}

describe('the one address', () => {
  test('passes calls, streams and errors to the owner of the noun', async () => {
    await using stack = await startStack()
    await using console = await consoleAt(stack)
    addRun(stack.world, runId).emit('run.completed')
    const env = { SCIENCE_DISCOVERY_TOKEN: accessToken }
    const watch = invoke(['watch', runId, '--json', '--server', console.address], { env })
    expect(await watch.exit).toBe(0)
    expect(watch.events()).toHaveLength(1)
    const unknown = invoke(['plan', 'r-9', '--server', console.address], { env })
    expect(await unknown.exit).toBe(1)
    expect(unknown.stderr()).toBe('scid: run r-9 not found\n')
  })

  test('refuses a wrong token at the door: no owner hears of the call', async () => {
    await using stack = await startStack()
    await using console = await consoleAt(stack)
    using channel = connectChannel(console.address, { token: 'wrong' })
    const call = rpcClient(RunServiceService, channel).stopRun({
      idempotencyKey: 'k',
      runId,
      reason: '',
    })
    await expect(call).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(stack.world.asked).toEqual([])
  })

  test('listens on loopback only unless plain text is allowed', async () => {
    await using stack = await startStack()
    await expect(consoleAt(stack, { host: '0.0.0.0' })).rejects.toMatchObject({ code: 'invalid' })
  })

  test('gathers the findings of every service, and a silent one is a finding with its remedy', async () => {
    await using stack = await startStack()
    await using console = await consoleAt(stack, { gatewayAddress: nobody })
    using channel = connectChannel(console.address, { token: accessToken })
    const { findings } = await rpcClient(OperationsServiceService, channel).diagnose({})
    const names = findings.map(({ name }) => name)
    expect(names.slice(0, 3)).toEqual(['console/access', 'console/metrics', 'console/traces'])
    expect(names).toContain('agent-orchestrator/agent-orchestrator/view:runs')
    expect(names).toContain('execution-runner (local)/answers')
    const silent = findings.find(({ name }) => name === 'tool-gateway/answers')
    expect(silent?.severity).toBe(3)
    expect(silent?.remedy).toContain('start the tool-gateway')
  })

  test('takes a call to the pool that it names, and refuses one that names none', async () => {
    await using stack = await startStack()
    await using cpu = await startRunner(stack.token, 'cpu')
    await using gpu = await startRunner(stack.token, 'gpu')
    await using console = await consoleAt(stack, {
      runnerAddresses: { cpu: cpu.address, gpu: gpu.address },
    })
    using channel = connectChannel(console.address, { token: accessToken })
    const client = rpcClient(WorkspaceServiceService, channel)
    const place = { workspaceId: 'w', path: '', actor: undefined }
    const list = { ...place, recursive: false, limit: 0, after: '' }
    expect((await client.listFiles({ ...list, runnerId: 'gpu' })).files[0]?.path).toBe('gpu')
    expect((await client.listFiles({ ...list, runnerId: 'cpu' })).files[0]?.path).toBe('cpu')
    for await (const { content } of client.downloadFile({ ...place, runnerId: 'gpu' })) {
      expect(content.toString()).toBe('gpu')
    }
    await expect(client.listFiles({ ...list, runnerId: 'tpu' })).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'runner_id', remedy: 'name one of cpu, gpu' },
    })
  })
})
