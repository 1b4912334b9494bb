import { type BlobStore } from '@sciencediscovery/blob-store'
import { type Pglite, openServiceDatabase } from '@sciencediscovery/db'
import { type EventStore, type Signals, createAggregates } from '@sciencediscovery/event-store'
import { type Clock } from '@sciencediscovery/kernel'
import { projectOf } from '@sciencediscovery/run-events'
import { caughtUp, runViews } from '@sciencediscovery/projection'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import {
  type Lifecycle,
  type Logger,
  type Metrics,
  connectChannel,
  createId,
} from '@sciencediscovery/service-kit'
import {
  createLifecycle,
  createLogger,
  createMetrics,
  openEndpoint,
  openInfrastructure,
  viewMeters,
} from '@sciencediscovery/service-kit'
import { createBlobTexts } from './adapters/blob-texts.js'
import { createGrpcToolClient } from './adapters/grpc-tool-client.js'
import { createModelDirectory } from './adapters/model-directory.js'
import { observedModels } from './adapters/observed-models.js'
import { observedTools } from './adapters/observed-tools.js'
import { createDatabaseViews } from './adapters/views/database-views.js'
import { projectType, runType, sessionType } from './aggregate-types.js'
import { type OrchestratorConfig } from './config.js'
import { type Context } from './context.js'
import { migrations, views } from './db/migrations/index.js'
import { type Schema } from './db/schema.js'
import { type Application } from './handlers/application.js'
import { diagnose } from './handlers/diagnose.js'
import { addHandlers } from './handlers/index.js'
import { streamMemberships } from './handlers/stream-memberships.js'
import { createOrchestratorMetrics } from './metrics.js'
import { startReactors } from './reactors/start-reactors.js'

/** What a composition root or a test brings. */
export interface OrchestratorOverrides {
  /** Without all three the service connects by its configuration. */
  readonly store?: EventStore
  readonly signals?: Signals
  readonly blobs?: BlobStore
  /** An embedded database that all services of the process share. */
  readonly pglite?: Pglite
  readonly clock?: Clock
  readonly logger?: Logger
  readonly replicaId?: string
}

interface Ports {
  readonly store: EventStore
  readonly signals: Signals
  readonly blobs: BlobStore
}

/** A running orchestrator. */
export interface OrchestratorService extends AsyncDisposable {
  readonly address: string
  readonly replicaId: string
  /** Waits, for at most 5 s, until the views hold what the streams do. */
  viewsCaughtUp(): Promise<boolean>
}

const catchUpMs = 5_000

/** Builds the orchestrator: three aggregates, their views, the reactors that act, one gRPC server. */
export async function createService(
  config: OrchestratorConfig,
  overrides: OrchestratorOverrides = {},
): Promise<OrchestratorService> {
  const lifecycle = createLifecycle()
  try {
    const logger = overrides.logger ?? createLogger('agent-orchestrator')
    const database = lifecycle.use(
      await openServiceDatabase<Schema>({
        schema: 'agent_orchestrator',
        migrations,
        url: config.pgUrl,
        pglite: overrides.pglite,
        dataDirectory: config.dataDirectory,
        logger,
      }),
    )
    const ports = await openPorts(config, overrides, lifecycle)
    const metrics = createMetrics('sciencediscovery')
    const meters = viewMeters(metrics)
    const ctx = buildContext(config, { ...overrides, ports, metrics }, lifecycle, logger)
    const running = lifecycle.use(
      runViews({ views, database, store: ctx.store, logger, metrics: meters }),
    )
    meters.watch(() => running.status())
    const shownViews = createDatabaseViews(database, running, ctx)
    const reactors = lifecycle.use(await startReactors(ctx, shownViews))
    const { model, runnerId, limits } = config.agent
    const defaults = { settings: { model, runnerId }, limits }
    const app: Application = {
      ctx,
      views: shownViews,
      defaults,
      runs: reactors.runs,
      sessions: reactors.sessions,
    }
    const access = { memberships: streamMemberships(ctx), projectOf }
    const server = lifecycle.use(openEndpoint(config, { logger, access, metrics }))
    addHandlers(server, app)
    server.add(OperationsServiceService, { diagnose: diagnose(app, running) })
    const { address } = await server.start()
    return {
      ...{ address, replicaId: ctx.here.replicaId },
      viewsCaughtUp: () => caughtUp(running, catchUpMs),
      [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
    }
  } catch (error) {
    await lifecycle[Symbol.asyncDispose]()
    throw error
  }
}

function buildContext(
  config: OrchestratorConfig,
  overrides: OrchestratorOverrides & { readonly ports: Ports; readonly metrics: Metrics },
  lifecycle: Lifecycle,
  logger: Logger,
): Context {
  const { clock = Date.now } = overrides
  const { store, signals, blobs } = overrides.ports
  const replicaId = overrides.replicaId ?? createId('orch')
  const texts = createBlobTexts(blobs)
  const counters = createOrchestratorMetrics(overrides.metrics)
  const options = { store, clock, writer: replicaId }
  const gateway = lifecycle.use(connectChannel(config.gatewayAddress, { token: config.token }))
  return {
    runs: createAggregates(runType, options),
    sessions: createAggregates(sessionType, options),
    projects: createAggregates(projectType, options),
    store,
    signals,
    texts,
    tools: observedTools(createGrpcToolClient(gateway, clock), counters),
    models: observedModels(createModelDirectory(config.agent, texts), counters),
    here: { replicaId, clock, logger },
  }
}

async function openPorts(
  { infrastructure, dataDirectory }: OrchestratorConfig,
  { store, signals, blobs }: OrchestratorOverrides,
  lifecycle: Lifecycle,
): Promise<Ports> {
  if (store && signals && blobs) return { store, signals, blobs }
  return lifecycle.use(await openInfrastructure(infrastructure, dataDirectory))
}
