import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  createService as createOrchestrator,
  loadAgentConfig,
} from '@sciencediscovery/agent-orchestrator'
import {
  createService as createArtifactStore,
  loadMaxUploadBytes,
} from '@sciencediscovery/artifact-store'
import { type BlobStore, createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { type LocalStack, createService as createConsole } from '@sciencediscovery/console'
import { removeEndpoint, writeEndpoint } from '@sciencediscovery/console'
import { type Pglite, openPglite } from '@sciencediscovery/db'
import { type EmbeddedStore, createEmbeddedStore } from '@sciencediscovery/event-store'
import {
  type AuthVariables,
  type Lifecycle,
  type Logger,
  createLifecycle,
  loadAuth,
} from '@sciencediscovery/service-kit'
import {
  createService as createGateway,
  loadToolOutputConfig,
} from '@sciencediscovery/tool-gateway'
import { cacheDirectoryOf, environment, loadRunnerPools } from './config.js'
import { startRunners } from './start-runners.js'

/** What a local stack is started with. */
export interface StackOptions {
  readonly dataDir: string
  readonly logger: Logger
  /** Whose signed tokens the console takes beside its own; as the environment says unless given. */
  readonly auth?: AuthVariables | undefined
  /** Names of the runner pools; as the environment says unless given. */
  readonly pools?: readonly string[] | undefined
}

/** What the services of the stack share. */
interface Shared {
  readonly dataDirectory: string
  readonly logger: Logger
  readonly embedded: EmbeddedStore
  readonly blobs: BlobStore
  readonly sockets: string
  /** Among the services. */
  readonly token: string
  /** Of the owner, at the console. */
  readonly accessToken: string
}

/**
 * All services in one process, on the embedded ledger, the embedded database and a directory of blobs.
 * They speak gRPC over sockets that only this user can reach; people and programs come through the console.
 */
export async function startStack({
  dataDir,
  logger,
  auth,
  pools,
}: StackOptions): Promise<LocalStack> {
  const lifecycle = createLifecycle()
  try {
    const shared = await openShared(resolve(dataDir), logger, lifecycle)
    const setting = {
      auth: auth ?? loadAuth(environment),
      pools: pools ?? loadRunnerPools(environment),
    }
    const { address } = await startServices(shared, setting, lifecycle)
    // What leaves the process is the owner's token; the one of services never does.
    const { dataDirectory, accessToken: token } = shared
    await writeEndpoint(dataDirectory, { pid: process.pid, address, token })
    lifecycle.defer(() => removeEndpoint(dataDirectory))
    return { address, token, [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose]() }
  } catch (error) {
    await lifecycle[Symbol.asyncDispose]()
    throw error
  }
}

async function openShared(
  dataDirectory: string,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<Shared> {
  const onWarning = ({
    problem,
    remedy,
  }: {
    readonly problem: string
    readonly remedy: string
  }): void => {
    logger.warn({ remedy }, problem)
  }
  const embedded = lifecycle.use(await createEmbeddedStore({ directory: dataDirectory, onWarning }))
  const sockets = await mkdtemp(join(tmpdir(), 'scid-'))
  lifecycle.defer(() => rm(sockets, { recursive: true, force: true }))
  const blobs = await createDirectoryBlobStore({
    directory: join(dataDirectory, 'blobs'),
    fsync: true,
  })
  const newToken = (): string => randomBytes(24).toString('base64url')
  const tokens = { token: newToken(), accessToken: newToken() }
  return { dataDirectory, logger, embedded, blobs, sockets, ...tokens }
}

/** Owners first, so that nobody asks what is not there yet. */
async function startServices(
  shared: Shared,
  { auth, pools }: { readonly auth: AuthVariables; readonly pools: readonly string[] },
  lifecycle: Lifecycle,
): Promise<{ readonly address: string }> {
  const { dataDirectory, logger, embedded, blobs, sockets, token } = shared
  const at = (name: string): string => `unix:${join(sockets, `${name}.sock`)}`
  const config = {
    ...{ port: 0, token, dataDirectory },
    orchestratorAddress: at('orchestrator'),
    gatewayAddress: at('gateway'),
    artifactStoreAddress: at('artifacts'),
    runnerAddresses: Object.fromEntries(pools.map((pool) => [pool, at(`runner-${pool}`)])),
  }
  const overridesOf = (service: string): Overrides => ({
    ...embedded.attach(),
    ...{ blobs, logger: logger.child({ service }) },
  })
  // The two that take longest have nothing to do with each other: a database to open, a wall to try.
  const [pglite] = await together([
    openViews(dataDirectory, logger).then((opened) => lifecycle.use(opened)),
    startRunners({ ...config, pools }, () => overridesOf('execution-runner'), lifecycle),
  ])
  const artifactConfig = { ...config, host: at('artifacts'), maxUploadBytes: loadMaxUploadBytes() }
  const artifacts = lifecycle.use(
    await createArtifactStore(artifactConfig, { ...overridesOf('artifact-store'), pglite }),
  )
  const gatewayConfig = { ...config, host: at('gateway'), toolOutput: loadToolOutputConfig() }
  lifecycle.use(await createGateway(gatewayConfig, overridesOf('tool-gateway')))
  const agentConfig = { ...config, host: at('orchestrator'), agent: agentConfigOf(pools) }
  const orchestrator = lifecycle.use(
    await createOrchestrator(agentConfig, { ...overridesOf('agent-orchestrator'), pglite }),
  )
  // A command that comes next shall see what an earlier process left.
  await Promise.all([artifacts.viewsCaughtUp(), orchestrator.viewsCaughtUp()])
  const consoleConfig = { ...config, host: '127.0.0.1', accessToken: shared.accessToken, auth }
  return lifecycle.use(await createConsole(consoleConfig, { logger }))
}

/** What an agent works on must be there. */
function agentConfigOf(pools: readonly string[]): ReturnType<typeof loadAgentConfig> {
  const agent = loadAgentConfig()
  const [first = agent.runnerId] = pools
  return pools.includes(agent.runnerId) ? agent : { ...agent, runnerId: first }
}

type Overrides = ReturnType<EmbeddedStore['attach']> & Pick<Shared, 'blobs' | 'logger'>

function openViews(dataDirectory: string, logger: Logger): Promise<Pglite> {
  return openPglite({
    directory: join(dataDirectory, 'pglite'),
    templateDirectory: join(cacheDirectoryOf(environment), 'pglite-0.5.14'),
    logger,
  })
}

/** All of them, or the first failure once none is under way any more: what was started can then be taken down. */
async function together<T extends readonly Promise<unknown>[]>(
  starting: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}
