import { commandIdOf, streamOfSubject } from '@sciencediscovery/event-store'
import { invalid, notFound } from '@sciencediscovery/kernel'
import {
  DecidePermissionRequest,
  type DecidePermissionResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { PermissionDecision } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { sessionSubject } from '@sciencediscovery/run-events'
import { type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { type DecidePermission } from '../domain/session/commands.js'
import { encodePosition } from '@sciencediscovery/projection'
import { type Application } from './application.js'
import { requireKey } from './limits.js'
import { loadRun } from './load-run.js'
import { toWirePermission } from './permission-wire.js'
import { requestDigestOf } from './request-digest.js'

export function decidePermission(
  app: Application,
): Unary<DecidePermissionRequest, DecidePermissionResponse> {
  return async (request, call) => {
    const { idempotencyKey, runId, requestId, decision } = request
    const key = requireKey(idempotencyKey)
    const { sessionId } = (await loadRun(app, runId)).facts.header
    const { folded, sequence } = await app.sessions.handle(
      sessionId,
      {
        type: 'DecidePermission',
        requestId,
        decision: fromDecision(decision),
        by: call.principal.id,
        writer: app.ctx.here.replicaId,
        now: nowOf(app.ctx),
      },
      {
        commandId: commandIdOf(sessionId, call.principal.id, 'DecidePermission', key),
        causationId: key,
        correlationId: runId,
        requestDigest: requestDigestOf(DecidePermissionRequest, request),
      },
    )
    const known = folded.state.status === 'unborn' ? [] : folded.state.permissions
    const permission = known.find((candidate) => candidate.requestId === requestId)
    if (!permission) throw notFound(`permission request ${requestId}`)
    const stream = streamOfSubject(sessionSubject(sessionId), app.ctx.store.runShards)
    return {
      request: toWirePermission(permission),
      position: encodePosition({ stream, sequence: sequence }),
    }
  }
}

function fromDecision(decision: PermissionDecision): DecidePermission['decision'] {
  switch (decision) {
    case PermissionDecision.PERMISSION_DECISION_ALLOW_ONCE:
      return 'allow_once'
    case PermissionDecision.PERMISSION_DECISION_ALLOW_MATCHING:
      return 'allow_matching'
    case PermissionDecision.PERMISSION_DECISION_DENY:
      return 'deny'
    case PermissionDecision.PERMISSION_DECISION_UNSPECIFIED:
    default:
      throw invalid('decision', 'is missing or unknown', 'send ALLOW_ONCE, ALLOW_MATCHING or DENY')
  }
}
