import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { openPglite } from '@sciencediscovery/db'
import {
  type EventPorts,
  type EventStore,
  createEmbeddedStore,
} from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { ProjectServiceService } from '@sciencediscovery/proto-gen/projects/v1/projects_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { Concurrency, Replay } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { ToolServiceService } from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import {
  type Implementation,
  type RpcClient,
  connectChannel,
  createGrpcServer,
  createLifecycle,
  createLogger,
  rpcClient,
  staticTokenAuth,
} from '@sciencediscovery/service-kit'
import { loadOrchestratorConfig } from '../config.js'
import { createService } from '../service.js'

const token = 'token-of-the-orchestrator'
const logger = createLogger('test', { level: 'silent' })

/** An orchestrator on the embedded ledger, and a gateway whose one tool needs permission. */
export interface OrchestratorFixture extends AsyncDisposable {
  readonly projects: RpcClient<typeof ProjectServiceService>
  readonly sessions: RpcClient<typeof SessionServiceService>
  readonly runs: RpcClient<typeof RunServiceService>
  readonly ports: EventPorts
  /** The gateway does not answer so many of the next calls for its tools. */
  readonly gateway: { failNext(calls: number): void }
}

export interface OrchestratorSetting {
  /** What the orchestrator sees of the store. */
  readonly store?: (store: EventStore) => EventStore
  readonly env?: Readonly<Record<string, string>>
}

/** Starts both on loopback. */
export async function startOrchestrator(
  setting: OrchestratorSetting = {},
): Promise<OrchestratorFixture> {
  const lifecycle = createLifecycle()
  const directory = await mkdtemp(join(tmpdir(), 'scid-orchestrator-'))
  lifecycle.defer(() => rm(directory, { recursive: true, force: true }))
  const ports = lifecycle.use(await createEmbeddedStore()).attach()
  const blobs = await createDirectoryBlobStore({ directory: join(directory, 'blobs') })
  const pglite = lifecycle.use(
    await openPglite({
      directory: join(directory, 'pglite'),
      templateDirectory: join(tmpdir(), 'scid-pglite-0.5.14'),
      logger,
    }),
  )
  const authenticate = staticTokenAuth([{ token, principal: { id: 'test', roles: ['service'] } }])
  const gateway = lifecycle.use(
    createGrpcServer({ host: '127.0.0.1', port: 0, authenticate, logger }),
  )
  const failing = { calls: 0 }
  gateway.add(ToolServiceService, guardedTool(failing))
  const { address } = await gateway.start()
  const config = loadOrchestratorConfig({
    SCIENCE_DISCOVERY_TOKEN: token,
    GATEWAY_ADDRESS: address,
    SCIENCE_DISCOVERY_DATA_DIR: directory,
    ...setting.env,
  })
  const store = setting.store?.(ports.store) ?? ports.store
  const service = lifecycle.use(
    await createService({ ...config, port: 0 }, { ...ports, store, blobs, pglite, logger }),
  )
  const channel = lifecycle.use(connectChannel(service.address, { token }))
  return {
    projects: rpcClient(ProjectServiceService, channel),
    sessions: rpcClient(SessionServiceService, channel),
    runs: rpcClient(RunServiceService, channel),
    ports,
    gateway: {
      failNext: (calls) => {
        failing.calls = calls
      },
    },
    [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
  }
}

const guardedTool = (failing: { calls: number }): Implementation<typeof ToolServiceService> => ({
  listTools: () => {
    failing.calls -= 1
    if (failing.calls >= 0) return Promise.reject(new PlatformError('unavailable', 'away'))
    return Promise.resolve({
      tools: [
        {
          name: 'guarded',
          description: 'Needs permission.',
          parametersJson: '{"type":"object"}',
          concurrency: Concurrency.CONCURRENCY_EXCLUSIVE,
          replay: Replay.REPLAY_KEYED,
          observation: false,
          deadlineMs: 10_000n,
        },
      ],
    })
  },
  async *invoke({ authorization, name }) {
    await Promise.resolve()
    const need = { action: 'code', resource: 'workspace-code', summary: `call ${name}` }
    if (!authorization) yield { step: { $case: 'permissionRequired', value: need } }
    else {
      const value = { text: 'done', isError: false, detailsJson: '{}', outputRef: '', effects: [] }
      yield { step: { $case: 'result', value } }
    }
  },
  cancelCall: () => Promise.resolve({ known: false }),
})
