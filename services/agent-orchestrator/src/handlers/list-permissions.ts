import {
  type ListPermissionsRequest,
  type ListPermissionsResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { sessionSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { type Application } from './application.js'
import { loadRun } from './load-run.js'
import { toWirePermission } from './permission-wire.js'

/** From the session's stream: a decision is seen at once. Of ended runs the session keeps the last ones. */
export function listPermissions(
  app: Application,
): Unary<ListPermissionsRequest, ListPermissionsResponse> {
  return async ({ runId, pendingOnly }) => {
    const run = await loadRun(app, runId)
    const { state } = await app.ctx.sessions.load(sessionSubject(run.facts.header.sessionId))
    const permissions = state.status === 'unborn' ? [] : state.permissions
    const wanted = permissions.filter(
      (known) => known.runId === runId && (!pendingOnly || known.state === 'pending'),
    )
    return { requests: wanted.map(toWirePermission) }
  }
}
