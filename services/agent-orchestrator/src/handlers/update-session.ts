import {
  UpdateSessionRequest,
  type UpdateSessionResponse,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type Application } from './application.js'
import { changeSession } from './change-session.js'
import { requestDigestOf } from './request-digest.js'
import { fromWireSettings } from './session-wire.js'

export function updateSession(
  app: Application,
): Unary<UpdateSessionRequest, UpdateSessionResponse> {
  return (request, call) => {
    const { idempotencyKey, sessionId, projectId, settings } = request
    const requestDigest = requestDigestOf(UpdateSessionRequest, request)
    const wanted = fromWireSettings(settings, app.defaults.settings)
    const by = { writer: app.ctx.here.replicaId, now: nowOf(app.ctx), by: call.principal.id }
    const command = { type: 'UpdateSession' as const, settings: wanted, ...by }
    return changeSession(
      app,
      { rpc: 'UpdateSession', idempotencyKey, sessionId, projectId, command, requestDigest },
      call.principal,
    )
  }
}
