import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { openPglite, type Pglite } from '@sciencediscovery/db'
import { createEmbeddedStore, type EventStore } from '@sciencediscovery/event-store'
import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { OperationsServiceService } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import {
  connectChannel,
  createLifecycle,
  createLogger,
  type RpcClient,
  rpcClient,
} from '@sciencediscovery/service-kit'
import { type ArtifactStoreConfig } from './config.js'
import { type Neighbours, startNeighbours, token } from './neighbours-fixture.js'
import { createService } from './service.js'

/** A running artifact store with everything around it, in one process. */
export interface World extends AsyncDisposable {
  readonly store: EventStore
  readonly blobs: BlobStore
  readonly neighbours: Neighbours
  readonly artifacts: RpcClient<typeof ArtifactServiceService>
  readonly provenance: RpcClient<typeof ProvenanceServiceService>
  readonly operations: RpcClient<typeof OperationsServiceService>
}

/** An embedded database in the directory, from the template that all tests of this machine copy. */
export function openTestPglite(directory: string): Promise<Pglite> {
  return openPglite({
    directory: join(directory, 'pglite'),
    templateDirectory: join(tmpdir(), 'scid-pglite-0.5.14'),
  })
}

/** How the store is set. */
export interface WorldOptions {
  readonly pgUrl?: string
  readonly maxUploadBytes?: number
}

export const quiet = createLogger('test', { level: 'silent' })

/** The configuration of a store that asks these neighbours. */
export function configOf(address: string, options: WorldOptions = {}): ArtifactStoreConfig {
  return {
    host: '127.0.0.1',
    port: 0,
    token,
    orchestratorAddress: address,
    runnerAddresses: { local: address },
    pgUrl: options.pgUrl,
    dataDirectory: '/nonexistent',
    maxUploadBytes: options.maxUploadBytes ?? 1024 * 1024,
  }
}

/** Starts the store on an embedded event store, real blobs and PGlite or the server of the options. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const lifecycle = createLifecycle()
  const directory = await mkdtemp(join(tmpdir(), 'scid-artifact-store-'))
  lifecycle.defer(() => rm(directory, { recursive: true, force: true }))
  const ports = lifecycle.use(await createEmbeddedStore())
  const { store } = ports
  const blobs = await createDirectoryBlobStore({
    directory: join(directory, 'blobs'),
    fsync: false,
  })
  const neighbours = lifecycle.use(await startNeighbours(store, blobs))
  const pglite =
    options.pgUrl === undefined ? lifecycle.use(await openTestPglite(directory)) : undefined
  const service = lifecycle.use(
    await createService(configOf(neighbours.address, options), {
      store,
      blobs,
      ...(pglite && { pglite }),
      clock: () => Date.UTC(2026, 0, 1, 12),
      logger: quiet,
    }),
  )
  const channel = lifecycle.use(connectChannel(service.address, { token }))
  return {
    store,
    blobs,
    neighbours,
    artifacts: rpcClient(ArtifactServiceService, channel),
    provenance: rpcClient(ProvenanceServiceService, channel),
    operations: rpcClient(OperationsServiceService, channel),
    [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose](),
  }
}
