import type { Actor } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { placeOfWorkspace, workspaceIdOf } from '@sciencediscovery/run-events'
import { z } from 'zod'
import type { CommandContext } from '../context.js'
import { usageError } from './usage-error.js'

/** The options that name a workspace. */
export const WorkspaceOptionsSchema = z.object({
  session: z.string().optional(),
  runner: z.string().optional(),
})

/** The workspace of a session, as the runner's calls name it. */
export interface WorkspacePlace {
  readonly actor: Actor
  readonly workspaceId: string
  readonly runnerId: string
  readonly sessionId: string
}

/** Finds the workspace of the session's main agent: on its own runner pool, or on the named one. */
export async function findWorkspace(
  { stack, interrupts }: CommandContext,
  { session: sessionId, runner }: z.output<typeof WorkspaceOptionsSchema>,
): Promise<WorkspacePlace> {
  if (sessionId === undefined)
    throw usageError('--session', 'is missing', 'give the session whose files are meant')
  const signal = interrupts.stop
  const { sessions } = await stack.clients(signal)
  const { session } = await sessions.getSession(
    { sessionId, projectId: '', minPosition: '' },
    { signal },
  )
  const { projectId = '', agentId = '', workspaceId: own = '' } = session ?? {}
  const workspaceId = runner === undefined ? own : workspaceIdOf(agentId, runner)
  const { runnerId } = placeOfWorkspace(workspaceId)
  const actor = { projectId, sessionId, runId: '', agentId: '', callId: '' }
  return { actor, workspaceId, runnerId, sessionId }
}
