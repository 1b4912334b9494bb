import { commandIdOf, streamOfSubject } from '@sciencediscovery/event-store'
import { type Session } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { sessionSubject } from '@sciencediscovery/run-events'
import { type Principal } from '@sciencediscovery/service-kit'
import { type SessionCommand } from '../domain/session/commands.js'
import { encodePosition } from '@sciencediscovery/projection'
import { type Application } from './application.js'
import { requireKey } from './limits.js'
import { loadSession } from './load-session.js'
import { toWireSession } from './session-wire.js'

/** Hands a command to an existing session and answers with what it is then. */
export async function changeSession(
  app: Application,
  change: {
    readonly rpc: string
    readonly idempotencyKey: string
    readonly sessionId: string
    readonly projectId: string
    readonly command: SessionCommand
    readonly requestDigest: string
  },
  principal: Principal,
): Promise<{ session: Session; position: string }> {
  const { rpc, idempotencyKey, sessionId, projectId, command, requestDigest } = change
  const commandId = commandIdOf(sessionId, principal.id, rpc, requireKey(idempotencyKey))
  await loadSession(app, sessionId, projectId)
  const { sequence } = await app.sessions.handle(sessionId, command, {
    commandId,
    causationId: commandId,
    correlationId: sessionId,
    requestDigest,
  })
  const stream = streamOfSubject(sessionSubject(sessionId), app.ctx.store.runShards)
  return {
    session: toWireSession(await loadSession(app, sessionId)),
    position: encodePosition({ stream, sequence: sequence }),
  }
}
