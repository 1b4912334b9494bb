import { notFound } from '@sciencediscovery/kernel'
import { projectOfSession, sessionSubject } from '@sciencediscovery/run-events'
import { type LivingSession } from '../domain/session/state.js'
import { type Application } from './application.js'

/** A session from its stream. One that is not in the named project answers as one that is not there. */
export async function loadSession(
  app: Application,
  sessionId: string,
  projectId = '',
): Promise<LivingSession> {
  if (projectId !== '' && projectOfSession(sessionId) !== projectId) {
    throw notFound(`session ${sessionId} in project ${projectId}`)
  }
  const { state } = await app.ctx.sessions.load(sessionSubject(sessionId))
  if (state.status === 'unborn') throw notFound(`session ${sessionId}`)
  return state
}
