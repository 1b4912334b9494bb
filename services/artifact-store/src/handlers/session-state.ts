import { isPlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { withDeadline } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'

/** A session as far as its owner tells: what it made outlives it (S-04). */
export interface SessionState {
  readonly id: string
  readonly state: 'active' | 'archived' | 'deleted' | 'unknown'
  readonly title: string
}

const timeoutMs = 1_000

/** Asks the owner; an owner that does not answer makes the state unknown, not the question fail. */
export async function sessionState(
  ctx: Context,
  projectId: string,
  sessionId: string,
  signal: AbortSignal,
): Promise<SessionState> {
  const id = sessionId
  if (id === '') return { id, state: 'unknown', title: '' }
  try {
    const session = await ctx.sessions.find(projectId, id, withDeadline(signal, timeoutMs))
    return { id, state: session.archivedAt === '' ? 'active' : 'archived', title: session.title }
  } catch (error) {
    if (isPlatformError(error) && error.code === 'not_found')
      return { id, state: 'deleted', title: '' }
    ctx.here.logger.warn(
      { sessionId, err: toPlatformError(error) },
      'the owner of sessions did not answer',
    )
    return { id, state: 'unknown', title: '' }
  }
}
