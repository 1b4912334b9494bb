import { PlatformError } from '@sciencediscovery/kernel'
import { ArtifactServiceService } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { ProvenanceServiceService } from '@sciencediscovery/proto-gen/provenance/v1/provenance_service'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { TransferServiceService } from '@sciencediscovery/proto-gen/transfers/v1/transfers_service'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type Channel, type RpcOptions, rpcClient } from '@sciencediscovery/service-kit'
import { type ExecutionsClient, type FilesClient, type OwnerOptions } from '../tool-call.js'
import { type Owners, type TransfersClient } from '../tool-call.js'

/** Channels to the owners of effects. */
export interface OwnerChannels {
  /** By pool. */
  readonly runners: ReadonlyMap<string, Channel>
  readonly artifactStore: Channel
  readonly orchestrator: Channel
}

/** Time for a placement and the answer itself, on top of what the owner was asked to wait (I-01). */
const answerTimeoutMs = 45_000

/** Queries, and effects with a key: all may be asked again after `unavailable`. */
function optionsOf({ signal, waitMs = 0 }: OwnerOptions): RpcOptions {
  return { signal, timeoutMs: waitMs + answerTimeoutMs, idempotent: true }
}

/** The owners behind gRPC: runners by pool, and the artifact store. */
export function createGrpcOwners({ runners, artifactStore, orchestrator }: OwnerChannels): Owners {
  const pools = [...runners.keys()]
  const artifacts = rpcClient(ArtifactServiceService, artifactStore)
  const provenance = rpcClient(ProvenanceServiceService, artifactStore)
  const runs = rpcClient(RunServiceService, orchestrator)
  return {
    pools,
    files: filesClient(runners),
    executions: executionsClient(runners),
    artifacts: {
      declareArtifact: (request, options) => artifacts.declareArtifact(request, optionsOf(options)),
      listArtifacts: (request, options) => artifacts.listArtifacts(request, optionsOf(options)),
      readArtifact: (request, options) => artifacts.readArtifact(request, optionsOf(options)),
    },
    transfers: transfersClient(artifactStore),
    outputs: {
      findToolOutput: (request, options) => runs.findToolOutput(request, optionsOf(options)),
    },
    provenance: {
      getFileProvenance: (request, options) =>
        provenance.getFileProvenance(request, optionsOf(options)),
    },
  }
}

function transfersClient(artifactStore: Channel): TransfersClient {
  const transfers = rpcClient(TransferServiceService, artifactStore)
  return {
    startTransfer: (request, options) => transfers.startTransfer(request, optionsOf(options)),
    getTransfer: (request, options) => transfers.getTransfer(request, optionsOf(options)),
    listTransfers: (request, options) => transfers.listTransfers(request, optionsOf(options)),
    cancelTransfer: (request, options) => transfers.cancelTransfer(request, optionsOf(options)),
  }
}

function filesClient(runners: OwnerChannels['runners']): FilesClient {
  const of = byPool(runners, (channel) => rpcClient(WorkspaceServiceService, channel))
  return {
    listFiles: async (request, options) =>
      of(request.runnerId).listFiles(request, optionsOf(options)),
    globFiles: async (request, options) =>
      of(request.runnerId).globFiles(request, optionsOf(options)),
    grepFiles: async (request, options) =>
      of(request.runnerId).grepFiles(request, optionsOf(options)),
    readFile: async (request, options) =>
      of(request.runnerId).readFile(request, optionsOf(options)),
    writeFile: async (request, options) =>
      of(request.runnerId).writeFile(request, optionsOf(options)),
    editFile: async (request, options) =>
      of(request.runnerId).editFile(request, optionsOf(options)),
    resolveFiles: async (request, options) =>
      of(request.runnerId).resolveFiles(request, optionsOf(options)),
  }
}

function executionsClient(runners: OwnerChannels['runners']): ExecutionsClient {
  const of = byPool(runners, (channel) => rpcClient(ExecutionServiceService, channel))
  return {
    startExecution: async (request, options) =>
      of(request.runnerId).startExecution(request, optionsOf(options)),
    waitExecution: async (request, options) =>
      of(request.runnerId).waitExecution(request, optionsOf(options)),
    listExecutions: async (request, options) =>
      of(request.runnerId).listExecutions(request, optionsOf(options)),
    cancelExecution: async (request, options) =>
      of(request.runnerId).cancelExecution(request, optionsOf(options)),
    readLog: async (request, options) => of(request.runnerId).readLog(request, optionsOf(options)),
    async *readOutput(request, { signal }) {
      for await (const piece of of(request.runnerId).readOutput(request, { signal })) {
        yield piece.content
      }
    },
  }
}

/** One client per pool; a pool that is not configured is not found. */
function byPool<Client>(
  runners: OwnerChannels['runners'],
  create: (channel: Channel) => Client,
): (runnerId: string) => Client {
  const clients = new Map([...runners].map(([pool, channel]) => [pool, create(channel)] as const))
  return (runnerId) => {
    const client = clients.get(runnerId)
    if (client !== undefined) return client
    throw new PlatformError('not_found', `runner ${JSON.stringify(runnerId)} not found`, {
      field: 'runner_id',
      remedy: `send one of ${[...clients.keys()].join(', ')}, or leave it out`,
    })
  }
}
