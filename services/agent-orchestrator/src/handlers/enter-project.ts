import { type CommandMeta } from '@sciencediscovery/event-store'
import { projectSubject } from '@sciencediscovery/run-events'
import { type Call, isAtLeast, isOwner, notEnough } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { roleOf } from '../domain/project/state.js'
import { type Application } from './application.js'
import { firstAdmin } from './first-admin.js'

/**
 * Makes the project when it is not there, and refuses whoever may not work in it. In this order: of two
 * who name a new project at once, one creates it and the other is a stranger in it.
 */
export async function enterProject(
  app: Application,
  { projectId, meta }: { readonly projectId: string; readonly meta: CommandMeta },
  { principal, method }: Call,
): Promise<void> {
  const { folded } = await app.ctx.projects.handle(
    projectSubject(projectId),
    {
      ...{ type: 'CreateProject', projectId, title: projectId, implied: true },
      ...{ now: nowOf(app.ctx), ...firstAdmin(principal) },
    },
    meta,
  )
  if (isOwner(principal)) return
  const role = roleOf(folded.state, principal.id)
  if (role !== undefined && isAtLeast(role, 'member')) return
  throw notEnough({ method, principal, projectId, needed: 'member' }, role)
}
