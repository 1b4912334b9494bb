import { type BlobStore } from '@sciencediscovery/blob-store'
import {
  type Authenticate,
  type Logger,
  connectChannel,
  createId,
  createLifecycle,
  createLogger,
  openBlobs,
  openEndpoint,
} from '@sciencediscovery/service-kit'
import { createOwnerProbe } from './adapters/grpc-owner-probe.js'
import { createGrpcOwners } from './adapters/grpc-owners.js'
import { catalogueOf } from './catalogue.js'
import { type GatewayConfig } from './config.js'
import { type Context } from './context.js'
import { registerHandlers } from './handlers/index.js'
import { tools } from './tools/index.js'

/** What a composition root or a test puts in place of the gateway's own. */
export interface GatewayOverrides {
  readonly blobs?: BlobStore
  readonly logger?: Logger
  readonly authenticate?: Authenticate
  readonly replicaId?: string
}

/** A running gateway. */
export interface GatewayService extends AsyncDisposable {
  readonly address: string
  readonly replicaId: string
}

/** Builds the gateway: stateless, all that it remembers is at the owners of effects and in blobs. */
export async function createService(
  config: GatewayConfig,
  overrides: GatewayOverrides = {},
): Promise<GatewayService> {
  const lifecycle = createLifecycle()
  const logger = overrides.logger ?? createLogger('tool-gateway')
  const replicaId = overrides.replicaId ?? createId('gw')
  const open = (address: string): ReturnType<typeof connectChannel> =>
    lifecycle.use(connectChannel(address, { token: config.token }))
  const artifactStore = open(config.artifactStoreAddress)
  const orchestrator = open(config.orchestratorAddress)
  const runners = new Map(
    Object.entries(config.runnerAddresses).map(([pool, address]) => [pool, open(address)] as const),
  )
  const ctx: Context = {
    catalogue: catalogueOf(tools),
    owners: createGrpcOwners({ runners, artifactStore, orchestrator }),
    probes: [
      createOwnerProbe('artifact-store', artifactStore),
      ...[...runners].map(([pool, channel]) => createOwnerProbe(`runner ${pool}`, channel)),
    ],
    blobs:
      overrides.blobs ??
      lifecycle.use(await openBlobs(config.blobs ?? {}, config.dataDirectory)).blobs,
    outputLimits: config.toolOutput,
    readAdvice: {
      advisoryBytes: config.toolOutput.readAdvisoryBytes,
      strongAdvisoryBytes: config.toolOutput.readStrongAdvisoryBytes,
    },
    here: { replicaId, logger },
  }
  const server = lifecycle.use(
    openEndpoint(config, { logger, authenticate: overrides.authenticate }),
  )
  registerHandlers(server, ctx)
  try {
    const { address } = await server.start()
    return { address, replicaId, [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose]() }
  } catch (error) {
    await lifecycle[Symbol.asyncDispose]()
    throw error
  }
}
