import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Database, type Pglite, openServiceDatabase } from '@sciencediscovery/db'
import { createAggregates, type EventStore } from '@sciencediscovery/event-store'
import { type Clock } from '@sciencediscovery/kernel'
import { projectOf } from '@sciencediscovery/run-events'
import { caughtUp, encodePosition, runViews } from '@sciencediscovery/projection'
import {
  type Authenticate,
  type Channel,
  connectChannel,
  createId,
  createLifecycle,
  createLogger,
  createMetrics,
  grpcMemberships,
  type Lifecycle,
  type Logger,
  type Metrics,
  openEndpoint,
  openInfrastructure,
  viewMeters,
} from '@sciencediscovery/service-kit'
import { BlobLists } from './adapters/blob-lists.js'
import { GrpcSessionDirectory } from './adapters/grpc-session-directory.js'
import { GrpcWorkspaceFiles } from './adapters/grpc-workspace-files.js'
import { StoreViews } from './adapters/running-views.js'
import { artifactType } from './artifact-type.js'
import { type ArtifactStoreConfig } from './config.js'
import { type Context } from './context.js'
import { migrations } from './db/migrations/index.js'
import { type ArtifactStoreTables } from './db/schema.js'
import { registerHandlers } from './handlers/index.js'
import { viewsOver } from './projections/views.js'
import { driveTransfers } from './reactors/drive-transfers.js'
import { transferType } from './transfer-type.js'

/** What a composition root or a test brings. */
export interface ArtifactStoreOverrides {
  readonly store?: EventStore
  readonly blobs?: BlobStore
  /** An embedded database that all services of the process share. */
  readonly pglite?: Pglite
  readonly clock?: Clock
  readonly logger?: Logger
  readonly authenticate?: Authenticate
  readonly replicaId?: string
  /** How long a transfer may go without a sign of life from who copies it. */
  readonly ackWaitMs?: number
  /** How long a view's reader may stand still before another process takes over. */
  readonly takeoverMs?: number
}

const catchUpMs = 5_000

/** A running artifact store. */
export interface ArtifactStoreService extends AsyncDisposable {
  readonly address: string
  readonly replicaId: string
  /** Waits, for at most 5 s, until the views hold what the streams do. */
  viewsCaughtUp(): Promise<boolean>
}

/** Builds the artifact store: one aggregate per artifact, three views, one gRPC server. */
export async function createService(
  config: ArtifactStoreConfig,
  overrides: ArtifactStoreOverrides = {},
): Promise<ArtifactStoreService> {
  const lifecycle = createLifecycle()
  try {
    const logger = overrides.logger ?? createLogger('artifact-store')
    const replicaId = overrides.replicaId ?? createId('art')
    const database = lifecycle.use(
      await openServiceDatabase<ArtifactStoreTables>({
        schema: 'artifact_store',
        migrations,
        url: config.pgUrl,
        pglite: overrides.pglite,
        dataDirectory: config.dataDirectory,
        logger,
      }),
    )
    const { store, blobs } = await openPorts(config, overrides, lifecycle)
    const { orchestratorAddress, token } = config
    const orchestrator = lifecycle.use(connectChannel(orchestratorAddress, { token }))
    const metrics = createMetrics('sciencediscovery')
    const parts = { lifecycle, logger, metrics, replicaId, database, store, blobs, orchestrator }
    const ctx = buildContext(config, overrides, parts)
    lifecycle.use(await driveTransfers(ctx, overrides))
    const server = lifecycle.use(
      openEndpoint(config, {
        ...{ logger, metrics },
        authenticate: overrides.authenticate,
        access: { projectOf, memberships: grpcMemberships(orchestrator) },
      }),
    )
    registerHandlers(server, ctx)
    const { address } = await server.start()
    return {
      ...{ address, replicaId },
      viewsCaughtUp: () => caughtUp({ status: () => ctx.views.report() }, catchUpMs),
      [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
    }
  } catch (error) {
    await lifecycle[Symbol.asyncDispose]()
    throw error
  }
}

interface Parts {
  readonly lifecycle: Lifecycle
  readonly logger: Logger
  readonly metrics: Metrics
  readonly replicaId: string
  readonly database: Database<ArtifactStoreTables>
  readonly store: EventStore
  readonly blobs: BlobStore
  readonly orchestrator: Channel
}

function buildContext(
  config: ArtifactStoreConfig,
  overrides: ArtifactStoreOverrides,
  { lifecycle, logger, metrics, replicaId, database, store, blobs, orchestrator }: Parts,
): Context {
  const { clock = Date.now, takeoverMs } = overrides
  const open = (address: string): Channel =>
    lifecycle.use(connectChannel(address, { token: config.token }))
  const runners = new Map(
    Object.entries(config.runnerAddresses).map(([pool, address]) => [pool, open(address)] as const),
  )
  const meters = viewMeters(metrics)
  const running = lifecycle.use(
    runViews({
      views: viewsOver(new BlobLists(blobs)),
      database,
      store,
      logger,
      metrics: meters,
      ...(takeoverMs === undefined ? {} : { takeoverMs }),
    }),
  )
  meters.watch(() => running.status())
  const [stream = ''] = store.streamsOf('artifacts')
  return {
    artifacts: createAggregates(artifactType, { store, clock, writer: replicaId }),
    transfers: {
      ...createAggregates(transferType, { store, clock, writer: replicaId }),
      store,
    },
    positionOf: (sequence) => encodePosition({ stream, sequence }),
    db: database.db,
    blobs,
    views: new StoreViews(store, running),
    sessions: new GrpcSessionDirectory(orchestrator),
    files: new GrpcWorkspaceFiles(runners),
    maxUploadBytes: config.maxUploadBytes,
    here: { replicaId, clock, logger },
  }
}

/** Handed in by a local stack, else connected as the environment says. */
async function openPorts(
  { infrastructure, dataDirectory }: ArtifactStoreConfig,
  { store, blobs }: ArtifactStoreOverrides,
  lifecycle: Lifecycle,
): Promise<{ readonly store: EventStore; readonly blobs: BlobStore }> {
  if (store && blobs) return { store, blobs }
  return lifecycle.use(await openInfrastructure(infrastructure, dataDirectory))
}
