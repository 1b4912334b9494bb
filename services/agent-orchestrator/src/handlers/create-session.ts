import { commandIdOf, derivedId, streamOfSubject } from '@sciencediscovery/event-store'
import { notFound } from '@sciencediscovery/kernel'
import {
  CreateSessionRequest,
  type CreateSessionResponse,
} from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { sessionIdOf, sessionSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { encodePosition } from '@sciencediscovery/projection'
import { type Application } from './application.js'
import { enterProject } from './enter-project.js'
import { requireKey, requireProjectId } from './limits.js'
import { requestDigestOf } from './request-digest.js'
import { fromWireSettings, toWireSession } from './session-wire.js'

export function createSession(
  app: Application,
): Unary<CreateSessionRequest, CreateSessionResponse> {
  return async (request, call) => {
    const { ctx } = app
    const projectId = requireProjectId(request.projectId)
    const commandId = commandIdOf(
      projectId,
      call.principal.id,
      'CreateSession',
      requireKey(request.idempotencyKey),
    )
    const settings = fromWireSettings(request.settings, app.defaults.settings)
    const requestDigest = requestDigestOf(CreateSessionRequest, request)
    const meta = { commandId, causationId: commandId, correlationId: commandId, requestDigest }
    await enterProject(app, { projectId, meta }, call)
    const sessionId = sessionIdOf(derivedId('', commandId).slice(0, 16), projectId)
    const { folded, sequence } = await app.sessions.handle(
      sessionId,
      {
        type: 'CreateSession',
        sessionId,
        projectId,
        settings,
        writer: ctx.here.replicaId,
        now: nowOf(ctx),
      },
      meta,
    )
    if (folded.state.status === 'unborn') throw notFound(`session ${sessionId}`)
    const stream = streamOfSubject(sessionSubject(sessionId), ctx.store.runShards)
    return {
      session: toWireSession(folded.state),
      position: encodePosition({ stream, sequence: sequence }),
    }
  }
}
