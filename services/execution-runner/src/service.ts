import { type BlobStore } from '@sciencediscovery/blob-store'
import {
  createAggregates,
  type EventStore,
  type Signals,
  type WorkQueue,
} from '@sciencediscovery/event-store'
import { type Clock } from '@sciencediscovery/kernel'
import { projectOf } from '@sciencediscovery/run-events'
import {
  type AccessOptions,
  type Authenticate,
  connectChannel,
  createId,
  createLifecycle,
  createLogger,
  createMetrics,
  grpcMemberships,
  type Lifecycle,
  type Logger,
  openEndpoint,
} from '@sciencediscovery/service-kit'
import { GrpcPeers } from './adapters/grpc/grpc-peers.js'
import { observedSandbox } from './adapters/observed-sandbox.js'
import { type RunnerConfig } from './config.js'
import { type HandlerContext } from './context.js'
import { registerHandlers } from './handlers/index.js'
import { createRunnerMetrics } from './metrics.js'
import { openMachine } from './open-machine.js'
import { openPorts } from './open-ports.js'
import { offerPlacements } from './reactors/offer-placements.js'
import { WorkspaceOwner } from './reactors/own-workspaces.js'
import { startPoolPresence } from './reactors/pool-presence.js'
import { placementQueue } from './reactors/place-workspace.js'
import { QueuePump } from './reactors/run-queue.js'
import { Slots } from './reactors/slots.js'
import { workspaceType } from './workspace-type.js'

/** What a composition root or a test brings. */
export interface RunnerOverrides {
  readonly store?: EventStore
  readonly queue?: WorkQueue
  readonly signals?: Signals
  readonly blobs?: BlobStore
  readonly clock?: Clock
  readonly logger?: Logger
  readonly authenticate?: Authenticate
  readonly replicaId?: string
}

/** A running replica of a pool. */
export interface RunnerService extends AsyncDisposable {
  readonly address: string
  readonly replicaId: string
}

/** Builds a runner: the sandbox with its probe, the workspaces on this disk, one gRPC server. */
export async function createService(
  config: RunnerConfig,
  overrides: RunnerOverrides = {},
): Promise<RunnerService> {
  const lifecycle = createLifecycle()
  try {
    return await build(config, overrides, lifecycle)
  } catch (error) {
    await lifecycle[Symbol.asyncDispose]()
    throw error
  }
}

async function build(
  config: RunnerConfig,
  overrides: RunnerOverrides,
  lifecycle: Lifecycle,
): Promise<RunnerService> {
  const { clock = Date.now, logger = createLogger('execution-runner') } = overrides
  const replicaId = overrides.replicaId ?? createId('run')
  const { store, queue, signals, blobs } = await openPorts(config, overrides, lifecycle)
  const metrics = createMetrics('sciencediscovery')
  const counters = createRunnerMetrics(metrics)
  counters.watchQueue(config.pool, () => queue.waiting(placementQueue(config.pool)))
  const opened = await openMachine(config, { blobs, signals, replicaId, lifecycle })
  const machine = { ...opened, sandbox: observedSandbox(opened.sandbox, counters) }
  const listening = { address: '' }
  const owner = new WorkspaceOwner()
  const { pool, sandbox } = config
  const ctx = {
    here: { pool, replicaId, address: () => listening.address, clock, logger },
    limits: {
      slots: sandbox.slots,
      workspaces: sandbox.workspaces,
      workspaceBytes: sandbox.maxWorkspaceBytes,
      idleReleaseMs: sandbox.idleReleaseMs,
    },
    machine,
    workspaces: createAggregates(workspaceType, { store, clock, writer: replicaId }),
    ...{ store, queue, blobs },
    owned: owner,
    peers: lifecycle.use(new GrpcPeers(config.token)),
  }
  const pump = new QueuePump(ctx, new Slots(sandbox.slots))
  const handlerContext: HandlerContext = { ...ctx, starter: pump }
  const { authenticate } = overrides
  const access = accessOf(config, lifecycle)
  const server = openEndpoint(config, { logger, access, authenticate, metrics })
  // Taken down in reverse: no more calls, then no more placements, then what is owned is given back.
  lifecycle.use(owner)
  lifecycle.use(await offerPlacements(ctx))
  lifecycle.use(server)
  const sandboxName = machine.sandbox.description
  const presence = lifecycle.use(await startPoolPresence(signals, ctx.here, sandboxName))
  registerHandlers(server, handlerContext, presence)
  const { address } = await server.start()
  listening.address = config.advertisedAddress ?? address
  owner.start(ctx, pump)
  return { address, replicaId, [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose]() }
}

/** Roles in projects are the orchestrator's to tell. */
function accessOf(
  { orchestratorAddress, token }: RunnerConfig,
  lifecycle: Lifecycle,
): Partial<AccessOptions> {
  if (orchestratorAddress === undefined) return { projectOf }
  const orchestrator = lifecycle.use(connectChannel(orchestratorAddress, { token }))
  return { projectOf, memberships: grpcMemberships(orchestrator) }
}
