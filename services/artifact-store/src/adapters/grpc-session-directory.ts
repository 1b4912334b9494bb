import { notFound } from '@sciencediscovery/kernel'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Channel, type RpcClient, rpcClient } from '@sciencediscovery/service-kit'
import { type SessionDirectory, type SessionPlace } from '../context.js'

const timeoutMs = 5_000

/** Asks the orchestrator for sessions. */
export class GrpcSessionDirectory implements SessionDirectory {
  readonly #client: RpcClient<typeof SessionServiceService>

  constructor(channel: Channel) {
    this.#client = rpcClient(SessionServiceService, channel)
  }

  async find(projectId: string, sessionId: string, signal: AbortSignal): Promise<SessionPlace> {
    const request = { projectId, sessionId, minPosition: '' }
    const { session } = await this.#client.getSession(request, { signal, timeoutMs })
    if (session?.projectId !== projectId)
      throw notFound(`session ${JSON.stringify(sessionId.slice(0, 100))}`)
    return {
      sessionId: session.sessionId,
      title: session.settings?.title ?? '',
      workspaceId: session.workspaceId,
      archivedAt: session.archivedAt,
    }
  }
}
