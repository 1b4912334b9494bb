import {
  ArchiveSessionRequest,
  type ArchiveSessionResponse,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeSession } from './change-session.js'
import { requestDigestOf } from './request-digest.js'

export function archiveSession(
  app: Application,
): Unary<ArchiveSessionRequest, ArchiveSessionResponse> {
  return (request, call) => {
    const { idempotencyKey, sessionId, projectId } = request
    const requestDigest = requestDigestOf(ArchiveSessionRequest, request)
    const command = {
      type: 'ArchiveSession' as const,
      writer: app.ctx.here.replicaId,
      now: nowOf(app.ctx),
    }
    return changeSession(
      app,
      { rpc: 'ArchiveSession', idempotencyKey, sessionId, projectId, command, requestDigest },
      call.principal,
    )
  }
}
