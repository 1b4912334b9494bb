import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { type CallContext, type Effect } from '@sciencediscovery/proto-gen/tools/v1/tools'
import {
  type InvokeRequest,
  type InvokeResponse,
  ToolServiceService,
} from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import {
  type GrpcServer,
  type RpcClient,
  connectChannel,
  createGrpcServer,
  createLifecycle,
  createLogger,
  rpcClient,
  staticTokenAuth,
} from '@sciencediscovery/service-kit'
import { createService } from '../service.js'
import { type FakeArtifacts, createFakeArtifacts } from './fake-artifacts.js'
import { type FakeExecutions, createFakeExecutions } from './fake-executions.js'
import { type FakeFiles, createFakeFiles } from './fake-files.js'
import { createFakeRuns } from './fake-runs.js'

const token = 'fixed-token-of-the-fixture'

/** A gateway on loopback between a caller and in-memory owners: every arrow is gRPC. */
export interface GatewayFixture extends AsyncDisposable {
  readonly tools: RpcClient<typeof ToolServiceService>
  readonly operations: RpcClient<typeof OperationsServiceService>
  readonly files: FakeFiles
  readonly executions: FakeExecutions
  readonly artifacts: FakeArtifacts
  readonly blobs: BlobStore
  readonly runner: GrpcServer
  readonly address: string
  /** Records effects on the run of the tests, as its owner does. */
  record(effects: readonly Effect[]): void
  /** Makes a call and answers its only step. */
  call(request: Partial<InvokeRequest>): Promise<Step>
  /** Makes an allowed call and answers its result. */
  result(name: string, args: unknown, more?: Partial<InvokeRequest>): Promise<ToolAnswer>
}

type Step = InvokeResponse['step']

/** A result with its details read. */
export interface ToolAnswer {
  readonly text: string
  readonly isError: boolean
  readonly details: unknown
  readonly outputRef: string
  readonly effects: readonly { readonly effectId: string; readonly type: string }[]
}

/** Where the calls of the tests come from. */
export const place: CallContext = {
  projectId: 'default',
  sessionId: 's-0123456789abcdef-default',
  runId: 'r-0-0123456789abcdef-default',
  agentId: 'a-0123456789abcdef-default',
  callId: 'c1',
  turn: 1,
  workspaceId: 'w-local-0123456789abcdef-default',
  runnerId: 'local',
  environmentId: '',
  profile: 'science',
  toolPolicy: undefined,
  minPosition: '',
}

/** The leave that changes of the workspace need. */
export const allowed = {
  authorizationId: 'auth-1',
  action: 'code',
  resource: 'workspace-code',
  source: 'user_once',
}

/** Starts owners and gateway on free ports. */
export async function startGateway(): Promise<GatewayFixture> {
  const lifecycle = createLifecycle()
  const directory = await mkdtemp(join(tmpdir(), 'gateway-'))
  lifecycle.defer(() => rm(directory, { recursive: true }))
  const blobs = await createDirectoryBlobStore({ directory, fsync: false })
  const files = createFakeFiles()
  const executions = createFakeExecutions()
  const artifacts = createFakeArtifacts()
  const runs = createFakeRuns()
  const logger = createLogger('test', { level: 'silent' })
  const authenticate = staticTokenAuth([{ token, principal: { id: 'test', roles: ['service'] } }])
  const serve = (): GrpcServer =>
    lifecycle.use(createGrpcServer({ host: '127.0.0.1', port: 0, authenticate, logger }))
  const runner = serve()
  runner.add(WorkspaceServiceService, files.service)
  runner.add(ExecutionServiceService, executions.service)
  const store = serve()
  store.add(ArtifactServiceService, artifacts.service)
  store.add(ProvenanceServiceService, artifacts.provenance)
  const orchestrator = serve()
  orchestrator.add(RunServiceService, runs.service)
  const config = {
    orchestratorAddress: (await orchestrator.start()).address,
    host: '127.0.0.1',
    port: 0,
    token,
    artifactStoreAddress: (await store.start()).address,
    runnerAddresses: { local: (await runner.start()).address },
    toolOutput: {
      maxBytes: 51_200,
      maxLines: 2_000,
      retentionBytes: 8_192,
      readAdvisoryBytes: 65_536,
      readStrongAdvisoryBytes: 98_304,
    },
    dataDirectory: directory,
  }
  const gateway = lifecycle.use(await createService(config, { blobs, logger }))
  const channel = lifecycle.use(connectChannel(gateway.address, { token }))
  const tools = rpcClient(ToolServiceService, channel)
  const operations = rpcClient(OperationsServiceService, channel)
  const call: GatewayFixture['call'] = (request) => onlyStep(tools, request)
  return {
    tools,
    operations,
    files,
    executions,
    artifacts,
    blobs,
    runner,
    address: gateway.address,
    call,
    record: (effects) => {
      runs.record(place, effects)
    },
    result: async (name, args, more) => {
      const argumentsText = typeof args === 'string' ? args : JSON.stringify(args)
      const step = await call({ name, argumentsText, authorization: allowed, ...more })
      if (step?.$case === 'result') runs.record(more?.context ?? place, step.value.effects)
      return toAnswer(step)
    },
    [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
  }
}

async function onlyStep(
  tools: GatewayFixture['tools'],
  request: Partial<InvokeRequest>,
): Promise<Step> {
  const steps: Step[] = []
  const defaults = { name: '', argumentsText: '{}', authorization: undefined, attempt: 1 }
  const full = { callKey: 'run-1/c1', context: place, ...defaults, ...request }
  for await (const { step } of tools.invoke(full)) steps.push(step)
  if (steps.length !== 1) throw new Error(`${steps.length} steps instead of one`)
  return steps[0]
}

function toAnswer(step: Step): ToolAnswer {
  if (step?.$case !== 'result') throw new Error(`no result but ${step?.$case ?? 'nothing'}`)
  const { text, isError, detailsJson, outputRef, effects } = step.value
  return { text, isError, details: JSON.parse(detailsJson), outputRef, effects }
}
