import { commandIdOf, derivedId, shardOf, streamOfSubject } from '@sciencediscovery/event-store'
import { RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { cutBytes, runIdOf, sessionSubject } from '@sciencediscovery/run-events'
import { type Principal } from '@sciencediscovery/service-kit'
import { nowOf } from '../context.js'
import { encodePosition } from '@sciencediscovery/projection'
import { type Application } from './application.js'
import { requireKey, requireText } from './limits.js'
import { loadSession } from './load-session.js'

/** An input for a session, as StartRun and SendMessage take it. */
export interface Input {
  readonly rpc: string
  readonly idempotencyKey: string
  readonly sessionId: string
  /** Empty means the session's own. */
  readonly projectId: string
  readonly message: string
  readonly model: string
  readonly script: Uint8Array
  readonly maxModelTurns: number
  readonly requestDigest: string
}

const maxMessageBytes = 1024 * 1024

/** Hands an input to its session; the run it makes is named by the command, so asking twice makes one. */
export async function submitInput(
  app: Application,
  input: Input,
  principal: Principal,
): Promise<{ readonly runId: string; readonly status: RunStatus; readonly position: string }> {
  const { ctx } = app
  const key = requireKey(input.idempotencyKey)
  const message = requireText('message', input.message, { maxBytes: maxMessageBytes })
  const { sessionId } = input
  const subject = sessionSubject(sessionId)
  const { settings, projectId } = await loadSession(app, sessionId, input.projectId)
  const model = await modelOf(app, input, settings.model)
  const commandId = commandIdOf(projectId, sessionId, principal.id, input.rpc, key)
  const runId = runIdOf(
    shardOf(sessionId, ctx.store.runShards),
    derivedId('', commandId).slice(0, 16),
    projectId,
  )
  const limits =
    input.maxModelTurns > 0
      ? { ...app.defaults.limits, maxModelTurns: input.maxModelTurns }
      : app.defaults.limits
  const run = {
    runId,
    trigger: { kind: 'message' as const, id: commandId },
    message: await ctx.texts.storeText(message),
    goal: cutBytes(message.trim(), 200),
    model,
    limits,
  }
  const { folded, sequence } = await app.sessions.handle(
    sessionId,
    { type: 'SubmitInput', run, writer: ctx.here.replicaId, now: nowOf(ctx) },
    {
      ...{ commandId, causationId: commandId, correlationId: runId },
      requestDigest: input.requestDigest,
    },
  )
  const queued =
    folded.state.status !== 'unborn' &&
    folded.state.queue.some((waiting) => waiting.runId === runId)
  const status = queued ? RunStatus.RUN_STATUS_QUEUED : RunStatus.RUN_STATUS_RUNNING
  return {
    runId,
    status,
    position: encodePosition({
      stream: streamOfSubject(subject, ctx.store.runShards),
      sequence: sequence,
    }),
  }
}

async function modelOf(app: Application, input: Input, sessionModel: string): Promise<string> {
  const { ctx } = app
  if (input.script.length > 0) return `scripted:${await ctx.texts.storeBytes(input.script)}`
  const spec = input.model === '' ? sessionModel : input.model
  ctx.models.check(spec)
  return spec
}
