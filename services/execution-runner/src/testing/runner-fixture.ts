import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobStore, createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import {
  createEmbeddedStore,
  type EmbeddedStore,
  type EventPorts,
} from '@sciencediscovery/event-store'
import { type Execution } from '@sciencediscovery/proto-gen/executions/v1/executions'
import {
  ExecutionServiceService,
  type StartExecutionRequest,
} from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import {
  connectChannel,
  createLifecycle,
  createLogger,
  type Lifecycle,
  type Logger,
  type RpcClient,
  rpcClient,
} from '@sciencediscovery/service-kit'
import { type SandboxConfig } from '../config.js'
import { createService } from '../service.js'

const token = 'a-token-for-tests'
export const pool = 'local'
export const projectId = 'p1'
export const workspaceId = 'w-local-0123456789abcdef-p1'
export const actor = { projectId, sessionId: 's1', runId: 'r1', agentId: 'a1', callId: 'c1' }
export const inWorkspace = { actor, workspaceId, runnerId: pool }

/** One replica, and clients of it. */
export interface Replica extends AsyncDisposable {
  readonly replicaId: string
  readonly executions: RpcClient<typeof ExecutionServiceService>
  readonly files: RpcClient<typeof WorkspaceServiceService>
  readonly operations: RpcClient<typeof OperationsServiceService>
  /** Runs a shell command and waits for its end. */
  run(command: string, over?: Partial<StartExecutionRequest>): Promise<Execution>
}

/** What replicas of one test share. */
export interface World extends AsyncDisposable {
  readonly directory: string
  readonly store: EmbeddedStore
  readonly blobs: BlobStore
  startReplica(name: string, options?: ReplicaOptions): Promise<Replica>
}

export interface ReplicaOptions {
  readonly sandbox?: Partial<SandboxConfig>
  readonly ports?: Partial<EventPorts>
  /** The pool of the tests unless told otherwise. */
  readonly pool?: string
  readonly logger?: Logger
}

const defaults: SandboxConfig = {
  bwrapPath: '/usr/bin/bwrap',
  maxWorkspaceBytes: 1024 ** 3,
  maxOutputBytes: 1024 ** 3,
  memoryBytes: 1024 ** 3,
  processes: 256,
  openFiles: 4096,
  firstUid: 230_000,
  slots: 4,
  workspaces: 8,
  idleReleaseMs: 60_000,
}

/** An embedded store and a blob directory, for replicas that come and go. */
export async function createWorld(): Promise<World> {
  const lifecycle = createLifecycle()
  const directory = await mkdtemp('/tmp/runner-test-')
  lifecycle.defer(() => rm(directory, { recursive: true, force: true }))
  const store = lifecycle.use(await createEmbeddedStore())
  const blobs = await createDirectoryBlobStore({ directory: join(directory, 'blobs') })
  return {
    ...{ directory, store, blobs },
    startReplica: (name, options) =>
      startReplica({ directory, store, blobs, lifecycle }, name, options),
    [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
  }
}

interface Parts {
  readonly directory: string
  readonly store: EmbeddedStore
  readonly blobs: BlobStore
  readonly lifecycle: Lifecycle
}

async function startReplica(
  { directory, store, blobs, lifecycle }: Parts,
  name: string,
  { sandbox = {}, ports = {}, pool: ownPool = pool, logger }: ReplicaOptions = {},
): Promise<Replica> {
  const own = createLifecycle()
  const service = own.use(
    await createService(
      {
        ...{ host: '127.0.0.1', port: 0, token, pool: ownPool },
        dataDirectory: join(directory, name),
        sandbox: { ...defaults, ...sandbox },
      },
      {
        ...{ ...store.attach(), ...ports, blobs },
        logger: logger ?? createLogger(name, { level: 'silent' }),
      },
    ),
  )
  const channel = own.use(connectChannel(service.address, { token }))
  const executions = rpcClient(ExecutionServiceService, channel)
  lifecycle.defer(() => own[Symbol.asyncDispose]())
  return {
    replicaId: service.replicaId,
    executions,
    files: rpcClient(WorkspaceServiceService, channel),
    operations: rpcClient(OperationsServiceService, channel),
    run: async (command, over = {}) => {
      const request = { ...startRequest(command), ...over }
      const { execution } = await executions.startExecution(request, { timeoutMs: 60_000 })
      if (!execution) throw new Error('no execution')
      return execution
    },
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  }
}

const counter = { next: 1 }

/** A request with an id of its own. */
export function startRequest(command: string): StartExecutionRequest {
  const executionId = `x-${counter.next}`
  counter.next += 1
  return {
    ...{ executionId, projectId, workspaceId, runnerId: pool, command },
    ...{ runId: 'r1', agentId: 'a1', callId: 'c1', sessionId: 's1', environmentId: '' },
    ...{
      scriptPath: '',
      arguments: [],
      cwd: '',
      timeoutMs: 0n,
      declaredInputs: [],
      waitMs: 30_000,
    },
  }
}

/** All retained bytes of an output. */
export async function outputOf(
  replica: Replica,
  executionId: string,
  stream: 'stdout' | 'stderr' = 'stdout',
): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  const request = { projectId, workspaceId, runnerId: pool, executionId, stream }
  const range = { offset: 0n, length: 0n, follow: false }
  for await (const { content } of replica.executions.readOutput({ ...request, ...range })) {
    pieces.push(content)
  }
  return Buffer.concat(pieces)
}

/** What runs on this machine, one command line each; arguments end with NUL. */
export async function commandLines(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = pids.map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => ''))
  return (await Promise.all(lines)).join('\n')
}
