import {
  type GetSessionRequest,
  type GetSessionResponse,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { loadSession } from './load-session.js'
import { toWireSession } from './session-wire.js'

export function getSession(app: Application): Unary<GetSessionRequest, GetSessionResponse> {
  return async ({ sessionId, projectId }) => ({
    session: toWireSession(await loadSession(app, sessionId, projectId)),
  })
}
