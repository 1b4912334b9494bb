import { notFound, refused } from '@sciencediscovery/kernel'
import { type Authorization } from '@sciencediscovery/run-events'
import { type DecidePermission, type RequestPermission } from './commands.js'
import { type SessionEvent } from './events.js'
import { type LivingSession, type Permission } from './state.js'

type Resolution =
  | { readonly state: 'allowed'; readonly source: Authorization['source'] }
  | { readonly state: 'denied' | 'cancelled' }

/** The one outcome of a request, with the call's one authorization when it is allowed. */
export function resolve(
  request: Permission,
  resolution: Resolution,
  by: string,
  at: string,
): SessionEvent {
  const { requestId, runId, callId, action, resource } = request
  const resolved = { requestId, runId, callId, state: resolution.state, by, at }
  if (resolution.state !== 'allowed') return { type: 'permission.resolved', v: 1, data: resolved }
  const authorization = {
    authorizationId: `auth-${requestId}`,
    action,
    resource,
    source: resolution.source,
  }
  return { type: 'permission.resolved', v: 1, data: { ...resolved, authorization } }
}

/** The session's own answer, when its mode or a grant already allows it. */
function standing(state: LivingSession, request: Permission): Resolution | undefined {
  if (state.settings.approvalMode === 'always_allow')
    return { state: 'allowed', source: 'always_allow' }
  const matching = state.grants.some((grant) => isMatch(grant, request))
  return matching ? { state: 'allowed', source: 'existing_grant' } : undefined
}

function isMatch(
  grant: { readonly action: string; readonly resource: string },
  request: { readonly action: string; readonly resource: string },
): boolean {
  return grant.action === request.action && grant.resource === request.resource
}

export function requestPermission(
  command: RequestPermission,
  state: LivingSession,
): readonly SessionEvent[] {
  if (state.permissions.some((request) => request.requestId === command.requestId)) return []
  if (state.active?.run.runId !== command.runId) throw refused(`run ${command.runId} is not active`)
  const { type: _type, writer: _writer, now, ...asked } = command
  const request: Permission = { ...asked, requestedAt: now, state: 'pending' }
  const requested: SessionEvent = {
    type: 'permission.requested',
    v: 1,
    data: { ...asked, at: now },
  }
  const answer = standing(state, request)
  return answer ? [requested, resolve(request, answer, 'session', now)] : [requested]
}

/** Releases every waiting request that the session's mode or grants now allow. */
export function releasePending(
  state: LivingSession,
  by: string,
  at: string,
): readonly SessionEvent[] {
  return state.permissions.flatMap((request) => {
    const answer = request.state === 'pending' ? standing(state, request) : undefined
    return answer ? [resolve(request, answer, by, at)] : []
  })
}

export function decidePermission(
  command: DecidePermission,
  state: LivingSession,
): readonly SessionEvent[] {
  const request = state.permissions.find((candidate) => candidate.requestId === command.requestId)
  if (!request) throw notFound(`permission request ${command.requestId}`)
  if (request.state !== 'pending')
    throw refused(`permission request ${command.requestId} is already ${request.state}`)
  const { by, now: at } = command
  if (command.decision === 'deny') return [resolve(request, { state: 'denied' }, by, at)]
  if (command.decision === 'allow_once')
    return [resolve(request, { state: 'allowed', source: 'user_once' }, by, at)]
  const { action, resource, requestId } = request
  const grant = { grantId: `grant-${requestId}`, action, resource, by, at }
  const matching = state.permissions.filter(
    (other) => other.state === 'pending' && isMatch(grant, other),
  )
  return [
    { type: 'grant.created', v: 1, data: grant },
    ...matching.map((other) => resolve(other, { state: 'allowed', source: 'user_grant' }, by, at)),
  ]
}
