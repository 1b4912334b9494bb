import { PlatformError, isPlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { type Authorization } from '@sciencediscovery/run-events'
import { delay } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import {
  type BlockCall,
  type CompleteCall,
  type FailCall,
  type ReleaseCall,
} from '../domain/run/commands.js'
import { type InvocationEnd } from '../tool-client.js'
import { askPermission } from './ask-permission.js'
import { type ToolJob, baseOf, callKeyOf, placeOf } from './tool-job.js'

const maxWaitMs = 5_000
const giveUpAfterMs = 120_000

/** What a call is made with beside its context. */
export interface CallControl {
  readonly signal: AbortSignal
  /** Records a command on the run; resolves when the store has answered. */
  readonly record: (command: ReleaseCall) => Promise<void>
}

/**
 * Makes one call and gives the command that records what came of it. Where the session's mode or a
 * grant allows it at once, this try goes on while the run records who allowed it: the decision is on
 * the session's stream before anything happens, so a crash in between loses nothing.
 */
export async function invokeTool(
  ctx: Context,
  job: ToolJob,
  { signal, record }: CallControl,
): Promise<CompleteCall | FailCall | BlockCall> {
  const { authorization } = job.request
  const first = await insist(ctx, job, signal, async () => {
    const end = await ask(ctx, job, authorization, signal)
    return end.kind === 'result' ? toCompletion(ctx, job, end) : askPermission(ctx, job, end)
  })
  if (first.type !== 'ReleaseCall') return first
  const recorded = record(first)
  // A failure counts where it is awaited.
  recorded.catch(() => undefined)
  const outcome = await insist(ctx, job, signal, async () => {
    const end = await ask(ctx, job, first.authorization, signal)
    if (end.kind === 'result') return toCompletion(ctx, job, end)
    throw new PlatformError('bug', 'the gateway did not take the permission')
  })
  await recorded
  return outcome
}

/** Goes on until the others answer; what will not be answered becomes the call's outcome. */
async function insist<T>(
  ctx: Context,
  job: ToolJob,
  signal: AbortSignal,
  step: () => Promise<T>,
): Promise<T | CompleteCall | FailCall> {
  const startedAt = ctx.here.clock()
  for (let tries = 1; ; tries += 1) {
    try {
      return await step()
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

async function ask(
  ctx: Context,
  job: ToolJob,
  authorization: Authorization | undefined,
  signal: AbortSignal,
): Promise<InvocationEnd> {
  const { request, facts } = job
  const { asked } = request.call
  return ctx.tools.invoke(
    {
      callKey: callKeyOf(job),
      place: placeOf(ctx, job),
      name: asked.name,
      argumentsText: await ctx.texts.loadText(asked.argumentsText),
      attempt: request.attempt,
      ...(authorization && { authorization }),
    },
    {
      signal,
      onProgress: (kind, text) => {
        ctx.signals.publish(`live.${facts.header.runId}`, { kind, text, callId: asked.callId })
      },
    },
  )
}

async function toCompletion(
  ctx: Context,
  job: ToolJob,
  end: Extract<InvocationEnd, { kind: 'result' }>,
): Promise<CompleteCall> {
  const completed = {
    ...baseOf(ctx, job),
    type: 'CompleteCall' as const,
    isError: end.isError,
    text: await ctx.texts.storeText(end.text),
    details: await ctx.texts.storeJson(end.details),
    effects: end.effects,
  }
  return end.ref === undefined ? completed : { ...completed, ref: end.ref }
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
