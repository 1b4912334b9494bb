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
import { createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import {
  type LocalStack,
  createService as createConsole,
  removeEndpoint,
  writeEndpoint,
} from '@sciencediscovery/console'
import { openPglite } from '@sciencediscovery/db'
import { createEmbeddedStore } from '@sciencediscovery/event-store'
import {
  createService as createRunner,
  loadSandboxConfig,
} from '@sciencediscovery/execution-runner'
import { type Logger, createLifecycle } from '@sciencediscovery/service-kit'
import { cacheDirectoryOf, environment } from './config.js'
import {
  createService as createGateway,
  loadToolOutputConfig,
} from '@sciencediscovery/tool-gateway'

/** What a local stack is started with. */
export interface StackOptions {
  readonly dataDir: string
  readonly logger: Logger
  /** Where the console listens; a free port of loopback unless told otherwise. */
  readonly host?: string
  readonly port?: number
}

const host = '127.0.0.1'

/**
 * All services in one process, on the embedded ledger, the embedded database and a directory of blobs.
 * They speak gRPC over sockets that only this user can reach; people and programs come through the console.
 */
export async function startStack({ logger, ...options }: StackOptions): Promise<LocalStack> {
  const dataDirectory = resolve(options.dataDir)
  const lifecycle = createLifecycle()
  try {
    const embedded = lifecycle.use(await openLedger(dataDirectory, logger))
    const sockets = await mkdtemp(join(tmpdir(), 'scid-'))
    lifecycle.defer(() => rm(sockets, { recursive: true, force: true }))
    const blobs = await createDirectoryBlobStore({
      directory: join(dataDirectory, 'blobs'),
      fsync: true,
    })
    const pglite = lifecycle.use(
      await openPglite({
        directory: join(dataDirectory, 'pglite'),
        templateDirectory: join(cacheDirectoryOf(environment), 'pglite-0.5.14'),
        logger,
      }),
    )
    const token = randomBytes(24).toString('base64url')
    const at = (name: string): string => `unix:${join(sockets, `${name}.sock`)}`
    const own = { port: 0, token, dataDirectory }
    const addresses = {
      orchestratorAddress: at('orchestrator'),
      gatewayAddress: at('gateway'),
      artifactStoreAddress: at('artifacts'),
      runnerAddresses: { local: at('runner') },
    }
    const ports = (): ReturnType<typeof embedded.attach> & { readonly blobs: typeof blobs } => ({
      ...embedded.attach(),
      blobs,
    })

    lifecycle.use(
      await createRunner(
        { ...own, host: at('runner'), pool: 'local', sandbox: loadSandboxConfig() },
        { ...ports(), logger: logger.child({ service: 'execution-runner' }) },
      ),
    )
    lifecycle.use(
      await createArtifactStore(
        { ...own, ...addresses, host: at('artifacts'), maxUploadBytes: loadMaxUploadBytes() },
        { ...ports(), pglite, logger: logger.child({ service: 'artifact-store' }) },
      ),
    )
    lifecycle.use(
      await createGateway(
        { ...own, ...addresses, host: at('gateway'), toolOutput: loadToolOutputConfig() },
        { blobs, logger: logger.child({ service: 'tool-gateway' }) },
      ),
    )
    lifecycle.use(
      await createOrchestrator(
        { ...own, ...addresses, host: at('orchestrator'), agent: loadAgentConfig() },
        { ...ports(), pglite, logger: logger.child({ service: 'agent-orchestrator' }) },
      ),
    )
    const console = lifecycle.use(
      await createConsole(
        { ...own, ...addresses, host: options.host ?? host, port: options.port ?? 0 },
        { logger },
      ),
    )
    await writeEndpoint(dataDirectory, { pid: process.pid, address: console.address, token })
    lifecycle.defer(() => removeEndpoint(dataDirectory))
    return {
      address: console.address,
      token,
      [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
    }
  } catch (error) {
    await lifecycle[Symbol.asyncDispose]()
    throw error
  }
}

function openLedger(directory: string, logger: Logger): ReturnType<typeof createEmbeddedStore> {
  return createEmbeddedStore({
    directory,
    onWarning: ({ problem, remedy }) => {
      logger.warn({ remedy }, problem)
    },
  })
}
