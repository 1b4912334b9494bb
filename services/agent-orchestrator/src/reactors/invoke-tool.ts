import { derivedId, streamOfSubject } from '@sciencediscovery/event-store'
import { type PlatformError, isPlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { runSubject, sessionSubject } from '@sciencediscovery/run-events'
import { delay } from '@sciencediscovery/service-kit'
import {
  type BlockCall,
  type CompleteCall,
  type FailCall,
  type ReleaseCall,
} from '../domain/run/commands.js'
import { type OpenRequest } from '../domain/run/open-requests.js'
import { type RunFacts } from '../domain/run/state.js'
import { type Permission } from '../domain/session/state.js'
import { type Context, nowOf } from '../context.js'
import { type CallPlace, type InvocationEnd } from '../tool-client.js'
import { encodePosition } from '@sciencediscovery/projection'

export type ToolRequest = Extract<OpenRequest, { kind: 'tool' }>
export interface ToolJob {
  readonly facts: RunFacts
  readonly request: ToolRequest
  /** Stream sequence of the state that asked: views must have come that far. */
  readonly sequence: number
}
type CallCommand = CompleteCall | FailCall | BlockCall | ReleaseCall

const maxWaitMs = 5_000
const giveUpAfterMs = 120_000

/** Unique for a call of a run: models repeat ids across turns. */
export function callKeyOf(job: ToolJob): string {
  const { request, facts } = job
  return `${facts.header.runId}/${request.turn}/${request.call.asked.callId}`
}

/** Makes one call and gives the command that records what came of it. */
export async function invokeTool(
  ctx: Context,
  job: ToolJob,
  signal: AbortSignal,
): Promise<CallCommand> {
  const startedAt = ctx.here.clock()
  for (let tries = 1; ; tries += 1) {
    try {
      return await toCommand(ctx, job, await ask(ctx, job, signal))
    } catch (error) {
      const failure = toPlatformError(error)
      if (signal.aborted)
        return failed(
          ctx,
          job,
          'cancelled',
          'The call was stopped; whether it had an effect is not known.',
        )
      if (!isRetryable(failure)) return unexpected(ctx, job, failure)
      if (ctx.here.clock() - startedAt > giveUpAfterMs) {
        return failed(ctx, job, 'gave_up', `The tool could not be reached: ${failure.message}`)
      }
      await delay(Math.min(maxWaitMs, 100 * 2 ** tries), signal).catch(() => undefined)
    }
  }
}

// Asking again with the same key joins the first ask, so a lost answer is asked for again.
function isRetryable(failure: PlatformError): boolean {
  return (
    failure.code === 'unavailable' ||
    failure.code === 'unknown' ||
    failure.code === 'exhausted' ||
    failure.code === 'conflict'
  )
}

async function ask(ctx: Context, job: ToolJob, signal: AbortSignal): Promise<InvocationEnd> {
  const { request, facts } = job
  const { asked } = request.call
  return ctx.tools.invoke(
    {
      callKey: callKeyOf(job),
      place: placeOf(ctx, job),
      name: asked.name,
      argumentsText: await ctx.texts.loadText(asked.argumentsText),
      attempt: request.attempt,
      ...(request.authorization && { authorization: request.authorization }),
    },
    {
      signal,
      onProgress: (kind, text) => {
        ctx.signals.publish(`live.${facts.header.runId}`, { kind, text, callId: asked.callId })
      },
    },
  )
}

export function placeOf(ctx: Context, job: ToolJob): CallPlace {
  const { header } = job.facts
  const {
    projectId,
    sessionId,
    runId,
    agentId,
    workspaceId,
    runnerId,
    environmentId,
    profile,
    toolPolicy,
  } = header
  const stream = streamOfSubject(runSubject(runId), ctx.store.runShards)
  return {
    projectId,
    sessionId,
    runId,
    agentId,
    workspaceId,
    runnerId,
    environmentId,
    profile,
    toolPolicy,
    callId: job.request.call.asked.callId,
    turn: job.request.turn,
    minPosition: encodePosition({ stream, sequence: job.sequence }),
  }
}

async function toCommand(ctx: Context, job: ToolJob, end: InvocationEnd): Promise<CallCommand> {
  if (end.kind === 'permission') return askPermission(ctx, job, end)
  const base = baseOf(ctx, job)
  const completed = {
    ...base,
    type: 'CompleteCall' as const,
    isError: end.isError,
    text: await ctx.texts.storeText(end.text),
    details: await ctx.texts.storeJson(end.details),
    effects: end.effects,
  }
  return end.ref === undefined ? completed : { ...completed, ref: end.ref }
}

function baseOf(
  ctx: Context,
  job: ToolJob,
): { callId: string; attempt: number; writer: string; now: string } {
  const { call, attempt } = job.request
  return { callId: call.asked.callId, attempt, writer: ctx.here.replicaId, now: nowOf(ctx) }
}

/** The session decides: at once by its mode or a grant, else the call waits for a person. */
async function askPermission(
  ctx: Context,
  job: ToolJob,
  need: Extract<InvocationEnd, { kind: 'permission' }>,
): Promise<CallCommand> {
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
  return (
    (asked && decisionCommand(ctx, asked)) ?? {
      ...baseOf(ctx, job),
      type: 'BlockCall',
      requestId,
      action,
      resource,
      summary,
    }
  )
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

function failed(ctx: Context, job: ToolJob, reason: FailCall['reason'], message: string): FailCall {
  return { ...baseOf(ctx, job), type: 'FailCall', reason, message }
}

// A throwing tool becomes a result; it never ends the run.
function unexpected(ctx: Context, job: ToolJob, failure: PlatformError): CompleteCall {
  if (failure.code === 'bug')
    ctx.here.logger.error(
      { err: failure, callKey: callKeyOf(job) },
      'a tool call failed unexpectedly',
    )
  const message = failure.message === '' ? 'the tool failed' : failure.message.slice(0, 1000)
  const error = { code: 'TOOL_EXECUTION_FAILED', message, attempts: 1, retryable: false }
  return {
    ...baseOf(ctx, job),
    type: 'CompleteCall',
    isError: true,
    text: `TOOL_EXECUTION_FAILED: ${message}`,
    details: { json: { ok: false, error } },
    effects: [],
  }
}

/** Whether the owner's refusal is one that time will not mend. */
export function isFenced(error: unknown): boolean {
  return isPlatformError(error) && error.code === 'refused'
}
