import { notFound } from '@sciencediscovery/kernel'
import { sessionSubject } from '@sciencediscovery/run-events'
import { type LivingSession } from '../domain/session/state.js'
import { type Application } from './application.js'

/** A session from its stream. */
export async function loadSession(app: Application, sessionId: string): Promise<LivingSession> {
  const { state } = await app.ctx.sessions.load(sessionSubject(sessionId))
  if (state.status === 'unborn') throw notFound(`session ${sessionId}`)
  return state
}
