import { commandIdOf, streamOfSubject } from '@sciencediscovery/event-store'
import { notFound } from '@sciencediscovery/kernel'
import { type Run, RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import {
  StopRunRequest,
  type StopRunResponse,
} from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { runSubject } from '@sciencediscovery/run-events'
import { type Call, type Unary } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { encodePosition } from '@sciencediscovery/projection'
import { type Application } from './application.js'
import { requireKey } from './limits.js'
import { findQueued } from './find-queued.js'
import { isBorn } from './load-run.js'
import { requestDigestOf } from './request-digest.js'
import { statusOf } from './run-wire.js'

/** A run that works is cancelled; one that waits in its session's queue is taken back. */
export function stopRun(app: Application): Unary<StopRunRequest, StopRunResponse> {
  return async (request, call) => {
    const { idempotencyKey, runId, reason } = request
    const key = requireKey(idempotencyKey)
    const requestDigest = requestDigestOf(StopRunRequest, request)
    const why = reason.trim() === '' ? `stopped by ${call.principal.id}` : reason.slice(0, 500)
    const subject = runSubject(runId)
    const waiting = await findWaiting(app, runId)
    const stop = { runId, key, why, requestDigest }
    if (waiting) return withdraw(app, { ...stop, sessionId: waiting.sessionId }, call)
    const folded = await app.runs.handle(
      runId,
      {
        type: 'RequestCancel',
        reason: why,
        by: call.principal.id,
        writer: app.ctx.here.replicaId,
        now: nowOf(app.ctx),
      },
      {
        commandId: commandIdOf(runId, call.principal.id, 'StopRun', key),
        causationId: key,
        requestDigest,
      },
    )
    const position = encodePosition({
      stream: streamOfSubject(subject, app.ctx.store.runShards),
      sequence: folded.sequence,
    })
    return { status: statusOf(folded.state), position }
  }
}

/** The run when it waits in its session's queue; undefined when it was started. */
async function findWaiting(app: Application, runId: string): Promise<Run | undefined> {
  const isStarted = async (): Promise<boolean> =>
    isBorn((await app.ctx.runs.load(runSubject(runId))).state)
  if (await isStarted()) return undefined
  const run = await findQueued(app, runId, '')
  // It may have been admitted while it was looked for.
  if (run || (await isStarted())) return run
  throw notFound(`run ${runId}`)
}

async function withdraw(
  app: Application,
  stop: {
    readonly runId: string
    readonly sessionId: string
    readonly key: string
    readonly why: string
    readonly requestDigest: string
  },
  call: Call,
): Promise<StopRunResponse> {
  const { runId, sessionId, key, why, requestDigest } = stop
  const by = { writer: app.ctx.here.replicaId, now: nowOf(app.ctx) }
  const cause = { causationId: key, requestDigest }
  const commandId = commandIdOf(runId, call.principal.id, 'StopRun', key)
  await app.sessions.handle(
    sessionId,
    { type: 'WithdrawRun', runId, reason: why, ...by },
    { commandId, ...cause, correlationId: runId },
  )
  // Admitted meanwhile: the mark on the run's own stream refuses the start that is under way.
  const folded = await app.runs.handle(
    runId,
    { type: 'RequestCancel', reason: why, by: call.principal.id, ...by },
    { commandId, ...cause },
  )
  const position = encodePosition({
    stream: streamOfSubject(runSubject(runId), app.ctx.store.runShards),
    sequence: folded.sequence,
  })
  return { status: RunStatus.RUN_STATUS_CANCELLED, position }
}
