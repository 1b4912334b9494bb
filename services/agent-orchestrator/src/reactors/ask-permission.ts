import { derivedId } from '@sciencediscovery/event-store'
import { sessionSubject } from '@sciencediscovery/run-events'
import { type Context, nowOf } from '../context.js'
import { type BlockCall, type CompleteCall, type ReleaseCall } from '../domain/run/commands.js'
import { type Permission } from '../domain/session/state.js'
import { type InvocationEnd } from '../tool-client.js'
import { type ToolJob, baseOf, callKeyOf } from './tool-job.js'

/** The session decides: at once by its mode or a grant, else the call waits for a person. */
export async function askPermission(
  ctx: Context,
  job: ToolJob,
  need: Extract<InvocationEnd, { kind: 'permission' }>,
): Promise<ReleaseCall | CompleteCall | BlockCall> {
  const { runId, sessionId } = job.facts.header
  const { callId } = job.request.call.asked
  const { action, resource, summary } = need
  const requestId = derivedId('perm-', callKeyOf(job)).slice(0, 25)
  const { folded } = await ctx.sessions.handle(
    sessionSubject(sessionId),
    {
      type: 'RequestPermission',
      requestId,
      runId,
      callId,
      action,
      resource,
      summary,
      writer: ctx.here.replicaId,
      now: nowOf(ctx),
    },
    { commandId: requestId, causationId: callKeyOf(job), correlationId: runId },
  )
  const session = folded.state
  const asked =
    session.status === 'unborn'
      ? undefined
      : session.permissions.find((known) => known.requestId === requestId)
  const base = baseOf(ctx, job)
  const decision = asked && decisionCommand(ctx, asked)
  // This try goes on with it.
  if (decision?.type === 'ReleaseCall') return { ...decision, attempt: base.attempt }
  return decision ?? { ...base, type: 'BlockCall', requestId, action, resource, summary }
}

/** What the session's decision means for the run; undefined while it waits. */
export function decisionCommand(
  ctx: Context,
  permission: Permission,
): ReleaseCall | CompleteCall | undefined {
  const { callId, requestId, state, authorization, action, resource } = permission
  const base = { callId, writer: ctx.here.replicaId, now: nowOf(ctx) }
  if (state === 'allowed' && authorization)
    return { ...base, type: 'ReleaseCall', requestId, authorization }
  if (state !== 'denied') return undefined
  const message = `The user did not allow ${action} ${resource}. Do not ask again for the same; find another way or end with what you have.`
  const details = {
    json: {
      ok: false,
      error: { code: 'PERMISSION_DENIED', message, attempts: 1, retryable: false },
    },
  }
  return {
    ...base,
    type: 'CompleteCall',
    attempt: 0,
    isError: true,
    text: `PERMISSION_DENIED: ${message}`,
    details,
    effects: [],
  }
}
