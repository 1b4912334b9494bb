import { isPlatformError, toPlatformError } from '@sciencediscovery/kernel'
import { chainTraceparent, delay, inSpan, withTraceparent } from '@sciencediscovery/service-kit'
import { type RecordModelFailure, type RecordModelTurn } from '../domain/run/commands.js'
import { type OpenRequest } from '../domain/run/open-requests.js'
import { type RunFacts } from '../domain/run/state.js'
import { type Context, nowOf } from '../context.js'
import { type ModelTurn } from '../model-provider.js'
import { updatePlan } from '../tools/update-plan.js'
import { type OfferedTool } from '../tool-client.js'
import { type Conversations } from './conversation.js'
import { toAskedCalls } from './own-calls.js'
import { turnChain } from '../turn-chain.js'
import { untilAnswered } from './until-answered.js'

type ModelRequest = Extract<OpenRequest, { kind: 'model' }>

const maxOutputTokens = 16_384

/** Asks the model for one turn and gives the command that records what came of it. */
export async function callModel(
  ctx: Context,
  conversations: Conversations,
  call: { readonly facts: RunFacts; readonly request: ModelRequest },
  signal: AbortSignal,
): Promise<RecordModelTurn | RecordModelFailure> {
  const { facts, request } = call
  try {
    await untilDue(ctx, request.notBefore, signal)
    // A gateway or blob store that is away is no failure of the model: it uses up none of its retries.
    const tools = await untilAnswered(() => offeredTools(ctx, facts, signal), signal)
    const messages = await untilAnswered(() => conversations.messagesOf(facts), signal)
    const turn = await ask(ctx, { ...call, tools, messages }, signal)
    return await toTurnCommand(ctx, { ...call, turn, tools })
  } catch (error) {
    return toFailureCommand(ctx, request, error, signal)
  }
}

async function untilDue(
  ctx: Context,
  notBefore: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const waitMs = notBefore === undefined ? 0 : Date.parse(notBefore) - ctx.here.clock()
  if (waitMs > 0) await delay(waitMs, signal)
}

/** The gateway's tools and our own, under one policy: allow first, deny second. */
export async function offeredTools(
  ctx: Context,
  facts: RunFacts,
  signal: AbortSignal,
): Promise<readonly OfferedTool[]> {
  const { profile, toolPolicy } = facts.header
  const tools = await ctx.tools.list(profile, toolPolicy, signal)
  const own = updatePlan.offer(
    profile === 'harness' || profile === 'registry' ? profile : 'science',
  )
  const allowed = toolPolicy.allow.length === 0 || toolPolicy.allow.includes('update_plan')
  return own && allowed && !toolPolicy.deny.includes('update_plan') ? [...tools, own] : tools
}

async function ask(
  ctx: Context,
  call: {
    readonly facts: RunFacts
    readonly request: ModelRequest
    readonly tools: readonly OfferedTool[]
    readonly messages: Awaited<ReturnType<Conversations['messagesOf']>>
  },
  signal: AbortSignal,
): Promise<ModelTurn> {
  const { facts, request, tools, messages } = call
  const { runId, model, turnsBefore, limits } = facts.header
  const provider = await ctx.models.resolve(model, signal)
  const turnsCompleted = turnsBefore + facts.turnsCompleted
  const idle = idleWatch(limits.idleMs, signal)
  try {
    return await inTurnSpan({ runId, turn: request.turn, model }, () =>
      provider.complete(
        { turnsCompleted, attempt: request.attempt, messages, tools, maxOutputTokens },
        {
          signal: idle.signal,
          onDelta: (delta) => {
            idle.progress()
            const callId = delta.kind === 'tool_call' ? delta.callId : ''
            ctx.signals.publish(`live.${runId}`, {
              kind: delta.kind,
              text: 'text' in delta ? delta.text : delta.name,
              callId,
            })
          },
        },
      ),
    )
  } finally {
    idle.stop()
  }
}

/** A trace per turn, linked to the one before; its calls join it by its name. */
function inTurnSpan<T>(
  { runId, turn, model }: { readonly runId: string; readonly turn: number; readonly model: string },
  fn: () => Promise<T>,
): Promise<T> {
  const attributes = {
    'sciencediscovery.run_id': runId,
    'sciencediscovery.turn': turn,
    // A script is named by its content, which says nothing.
    'gen_ai.request.model': model.replace(/^scripted:.*/, 'scripted'),
  }
  const before = turn > 1 ? chainTraceparent(turnChain(runId, turn - 1)) : undefined
  return withTraceparent(chainTraceparent(turnChain(runId, turn)), () =>
    inSpan('turn', attributes, fn, before),
  )
}

/** Aborts when nothing came for `idleMs`; 0 never does. */
function idleWatch(
  idleMs: number,
  parent: AbortSignal,
): { signal: AbortSignal; progress: () => void; stop: () => void } {
  const controller = new AbortController()
  const abort = (): void => {
    controller.abort(new DOMException(`no progress for ${idleMs} ms`, 'TimeoutError'))
  }
  const timer = idleMs > 0 ? setTimeout(abort, idleMs) : undefined
  return {
    signal: AbortSignal.any([parent, controller.signal]),
    progress: () => timer?.refresh(),
    stop: () => {
      clearTimeout(timer)
    },
  }
}

async function toTurnCommand(
  ctx: Context,
  call: {
    readonly facts: RunFacts
    readonly request: ModelRequest
    readonly turn: ModelTurn
    readonly tools: readonly OfferedTool[]
  },
): Promise<RecordModelTurn> {
  const { facts, request, turn } = call
  const cost = ctx.models.priceOf(facts.header.model, turn.model, turn.usage)
  return {
    type: 'RecordModelTurn',
    turn: request.turn,
    attempt: request.attempt,
    text: await ctx.texts.storeText(turn.text),
    toolCalls: await toAskedCalls(ctx.texts, turn.toolCalls, call.tools),
    stop: turn.stop,
    model: turn.model,
    ...(turn.usage && {
      inputTokens: turn.usage.inputTokens,
      outputTokens: turn.usage.outputTokens,
    }),
    ...(cost !== undefined && { costUsd: cost }),
    ...(turn.extra && { extra: await ctx.texts.storeJson(turn.extra) }),
    writer: ctx.here.replicaId,
    now: nowOf(ctx),
  }
}

const retryableCodes = new Set(['unavailable', 'exhausted', 'deadline'])

function toFailureCommand(
  ctx: Context,
  request: ModelRequest,
  error: unknown,
  signal: AbortSignal,
): RecordModelFailure {
  const { turn, attempt } = request
  const by = { writer: ctx.here.replicaId, now: nowOf(ctx) }
  const failure = { type: 'RecordModelFailure' as const, turn, attempt, ...by }
  if (signal.aborted)
    return {
      ...failure,
      reason: 'cancelled',
      message: 'the model call was stopped',
      retryable: false,
    }
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return { ...failure, reason: 'timeout', message: error.message, retryable: true }
  }
  if (!isPlatformError(error))
    ctx.here.logger.error({ err: error, turn }, 'a model call failed unexpectedly')
  const { code, message, details } = toPlatformError(error)
  return {
    ...failure,
    reason: details.reason ?? code,
    message,
    retryable: retryableCodes.has(code),
    ...(details.retryAfterMs !== undefined && { retryAfterMs: details.retryAfterMs }),
  }
}
