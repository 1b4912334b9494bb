import { PlatformError } from '@sciencediscovery/kernel'
import { WorkspaceServiceService } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { type ResolvedFile } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces_service'
import { placeOfWorkspace } from '@sciencediscovery/run-events'
import { type Channel, type RpcClient, rpcClient } from '@sciencediscovery/service-kit'
import { type PutOutcome, type UploadOrder, type WorkspaceFiles } from '../context.js'

type Client = RpcClient<typeof WorkspaceServiceService>
const timeoutMs = 60_000
const nobody = { runId: '', agentId: '', callId: '' }

/** Asks any replica of the pool that a workspace belongs to. */
export class GrpcWorkspaceFiles implements WorkspaceFiles {
  readonly #pools: ReadonlyMap<string, Client>

  constructor(channels: ReadonlyMap<string, Channel>) {
    this.#pools = new Map(
      [...channels].map(([pool, channel]) => [pool, rpcClient(WorkspaceServiceService, channel)]),
    )
  }

  async put(order: UploadOrder, signal: AbortSignal): Promise<PutOutcome> {
    const { runnerId, client } = this.#of(order.workspaceId)
    const { projectId, sessionId, effectKey, workspaceId, path, digest, conflict } = order
    const { transferFor = nobody } = order
    const { file, effects } = await client.putFile(
      {
        effectKey,
        actor: { projectId, sessionId, ...transferFor },
        workspaceId,
        runnerId,
        path,
        digest,
        conflict,
        origin: order.transferFor ? 'transfer' : 'upload',
      },
      { signal, timeoutMs, idempotent: true },
    )
    if (!file) throw new PlatformError('bug', `the runner did not say where ${path} was put`)
    return { file, effects }
  }

  async committed(
    { actor, workspaceId, paths }: Parameters<WorkspaceFiles['committed']>[0],
    signal: AbortSignal,
  ): Promise<readonly ResolvedFile[]> {
    const { runnerId, client } = this.#of(workspaceId)
    const request = { actor, workspaceId, runnerId, paths, asCommitted: true }
    const { files } = await client.resolveFiles(request, { signal, timeoutMs, idempotent: true })
    return files
  }

  #of(workspaceId: string): { readonly runnerId: string; readonly client: Client } {
    const { runnerId } = placeOfWorkspace(workspaceId)
    const client = this.#pools.get(runnerId)
    if (client) return { runnerId, client }
    throw new PlatformError('unavailable', `no address is known for runner pool ${runnerId}`, {
      remedy: 'name the pool in RUNNER_ADDRESSES',
    })
  }
}
