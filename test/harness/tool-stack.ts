import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService as createArtifactStore } from '@sciencediscovery/artifact-store'
import { type BlobStore, createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { openPglite } from '@sciencediscovery/db'
import { createEmbeddedStore } from '@sciencediscovery/event-store'
import { createService as createRunner } from '@sciencediscovery/execution-runner'
import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { type CallContext } from '@sciencediscovery/proto-gen/tools/v1/tools'
import { ToolServiceService } from '@sciencediscovery/proto-gen/tools/v1/tools_service'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import {
  type RpcClient,
  connectChannel,
  createLifecycle,
  createLogger,
  rpcClient,
} from '@sciencediscovery/service-kit'
import { createService as createGateway } from '@sciencediscovery/tool-gateway'

const token = 'token-of-the-tool-stack'
const projectId = 'default'
const runnerId = 'local'

/** Ways of spelling the tools that the cases are tried in. */
export const profiles = ['science', 'harness'] as const
export type CaseProfile = (typeof profiles)[number]

/** What a call gave. */
export interface CallAnswer {
  readonly text: string
  readonly isError: boolean
  readonly details: unknown
}

/** The workspace of one agent, from the model's side and from the disk's. */
export interface AgentDesk {
  readonly agentId: string
  /** Calls a tool as the agent's model would. */
  call(name: string, args: object): Promise<CallAnswer>
  /** Runs a command in the workspace, however the profile spells that; gives its output. */
  shell(command: string): Promise<string>
  /** Puts bytes at a path. */
  put(path: string, content: string | Uint8Array): Promise<void>
  /** The bytes at a path. */
  bytes(path: string): Promise<Buffer>
}

/** Gateway, runner and artifact store as they are, without an orchestrator in front. */
export interface ToolStack extends AsyncDisposable {
  readonly artifacts: RpcClient<typeof ArtifactServiceService>
  readonly blobs: BlobStore
  /** The agent of that name, with a workspace of its own. */
  agent(name: string, profile: CaseProfile): AgentDesk
}

/** Starts the three services in this process, on embedded defaults. */
export async function startToolStack(): Promise<ToolStack> {
  const lifecycle = createLifecycle()
  const folder = await mkdtemp(join(tmpdir(), 'tool-stack-'))
  lifecycle.defer(() => rm(folder, { recursive: true, force: true }))
  const embedded = lifecycle.use(await createEmbeddedStore())
  const blobs = await createDirectoryBlobStore({ directory: join(folder, 'blobs'), fsync: false })
  const logger = createLogger('tool-stack', { level: 'silent' })
  const at = (name: string): string => `unix:${join(folder, `${name}.sock`)}`
  const overrides = { ...embedded.attach(), blobs, logger }
  const config = { port: 0, token, dataDirectory: folder }
  lifecycle.use(
    await createRunner(
      { ...config, host: at('runner'), pool: runnerId, sandbox: sandboxOfCases },
      overrides,
    ),
  )
  const addresses = {
    orchestratorAddress: at('nobody'),
    artifactStoreAddress: at('artifacts'),
    runnerAddresses: { [runnerId]: at('runner') },
  }
  const pglite = lifecycle.use(
    await openPglite({
      directory: join(folder, 'pglite'),
      templateDirectory: join(tmpdir(), 'scid-pglite-0.5.14'),
    }),
  )
  lifecycle.use(
    await createArtifactStore(
      { ...config, ...addresses, host: at('artifacts'), maxUploadBytes: 1024 ** 2 },
      { ...overrides, pglite },
    ),
  )
  lifecycle.use(
    await createGateway(
      { ...config, ...addresses, host: at('gateway'), toolOutput: outputOfCases },
      overrides,
    ),
  )
  const open = (name: string): ReturnType<typeof connectChannel> =>
    lifecycle.use(connectChannel(at(name), { token }))
  const clients = {
    tools: rpcClient(ToolServiceService, open('gateway')),
    files: rpcClient(WorkspaceServiceService, open('runner')),
    blobs,
    keys: { used: 0 },
  }
  return {
    artifacts: rpcClient(ArtifactServiceService, open('artifacts')),
    blobs,
    agent: (name, profile) => deskOf(clients, name, profile),
    [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
  }
}

const sandboxOfCases = {
  bwrapPath: '/usr/bin/bwrap',
  ...{ maxWorkspaceBytes: 1024 ** 3, maxOutputBytes: 1024 ** 3, memoryBytes: 1024 ** 3 },
  ...{ processes: 256, openFiles: 4096, firstUid: 245_000, slots: 4, workspaces: 48 },
  idleReleaseMs: 60_000,
}

const outputOfCases = {
  ...{ maxBytes: 51_200, maxLines: 2_000, retentionBytes: 8_192 },
  ...{ readAdvisoryBytes: 65_536, readStrongAdvisoryBytes: 98_304 },
}

interface Clients {
  readonly tools: RpcClient<typeof ToolServiceService>
  readonly files: RpcClient<typeof WorkspaceServiceService>
  readonly blobs: BlobStore
  readonly keys: { used: number }
}

function deskOf(clients: Clients, name: string, profile: CaseProfile): AgentDesk {
  const hash = createHash('sha256').update(`${name}-${profile}`).digest('hex').slice(0, 16)
  const workspaceId = `w-${runnerId}-${hash}-${projectId}`
  const place = placeOf(hash, workspaceId, profile)
  const nextKey = (): string => `key-${(clients.keys.used += 1)}`
  const { sessionId } = place
  const actor = { projectId, sessionId, runId: '', agentId: '', callId: '' }
  const call: AgentDesk['call'] = async (tool, args) =>
    invoke(clients.tools, { ...place, callId: nextKey() }, tool, args)
  return {
    agentId: place.agentId,
    call,
    shell: async (command) => {
      const { text } = await (profile === 'harness'
        ? call('execute', { command })
        : call('run_shell', { command, wait_ms: 30_000 }))
      return text
    },
    put: async (path, content) => {
      const { digest } = await clients.blobs.put(Buffer.from(content))
      const target = { actor, workspaceId, runnerId, path, digest, origin: 'upload' }
      const conflict = Conflict.CONFLICT_OVERWRITE
      await clients.files.putFile({ ...target, effectKey: nextKey(), conflict })
    },
    bytes: async (path) => {
      const pieces: Uint8Array[] = []
      const request = { actor, workspaceId, runnerId, path }
      for await (const { content } of clients.files.downloadFile(request)) pieces.push(content)
      return Buffer.concat(pieces)
    },
  }
}

function placeOf(hash: string, workspaceId: string, profile: CaseProfile): CallContext {
  return {
    ...{ projectId, workspaceId, runnerId, profile, environmentId: '', callId: '', turn: 1 },
    sessionId: `s-${hash}-${projectId}`,
    runId: `r-0-${hash}-${projectId}`,
    agentId: `a-${hash}-${projectId}`,
    toolPolicy: undefined,
    minPosition: '',
  }
}

const authorization = {
  authorizationId: 'auth-1',
  ...{ action: 'code', resource: 'workspace-code', source: 'user_once' },
}

async function invoke(
  tools: Clients['tools'],
  context: CallContext,
  name: string,
  args: object,
): Promise<CallAnswer> {
  const callKey = `${context.runId}/${context.callId}`
  const request = { callKey, context, name, argumentsText: JSON.stringify(args), authorization }
  for await (const { step } of tools.invoke({ ...request, attempt: 1 })) {
    if (step?.$case !== 'result') continue
    const { text, isError, detailsJson } = step.value
    return { text, isError, details: JSON.parse(detailsJson) }
  }
  throw new Error(`${name} gave no result`)
}
