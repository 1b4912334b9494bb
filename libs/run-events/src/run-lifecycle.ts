import { z } from 'zod'
import { StoredTextSchema } from './blob-ref.js'
import { DigestSchema, TimeSchema, defineEvent } from './define-event.js'

/** What set a run off. */
export const TriggerSchema = z.object({
  kind: z.enum(['message', 'execution', 'timer', 'parent']),
  /** Message, execution, timer or parent call id. */
  id: z.string(),
})

/** Limits that the decider checks before each model turn. */
export const RunLimitsSchema = z.object({
  maxModelTurns: z.number().int().positive(),
  /** Further tries of one model turn after a retryable failure. */
  maxModelRetries: z.number().int().nonnegative(),
  /** Longest time without a stream chunk or tool result, in milliseconds; 0 means none. */
  idleMs: z.number().int().nonnegative(),
  /** Longest time of the whole run, in milliseconds; 0 means none. */
  wallMs: z.number().int().nonnegative(),
  /** Tokens in all; 0 means none. */
  maxTokens: z.number().int().nonnegative(),
  /** Cost in US dollars; 0 means none. */
  maxCostUsd: z.number().nonnegative(),
})
export type RunLimits = z.infer<typeof RunLimitsSchema>

/** A run begins: always the first event. Freezes everything the run is measured by. */
export const RunStartedSchema = defineEvent(
  'run.started',
  1,
  z.object({
    projectId: z.string(),
    sessionId: z.string(),
    runId: z.string(),
    agentId: z.string(),
    workspaceId: z.string(),
    runnerId: z.string(),
    environmentId: z.string(),
    trigger: TriggerSchema,
    /** The input, cut for people. */
    goal: z.string(),
    /** `openai:NAME`, `anthropic:NAME` or `scripted:DIGEST`. */
    model: z.string(),
    /** science, harness or registry. */
    profile: z.string(),
    toolPolicy: z.object({ allow: z.array(z.string()), deny: z.array(z.string()) }),
    systemPrompt: z.object({ version: z.string(), digest: DigestSchema }),
    /** The conversation before this run, as a blob; null in a new session. */
    conversationRef: DigestSchema.nullable(),
    /** Model turns this agent completed in earlier runs of its session. */
    turnsBefore: z.number().int().nonnegative(),
    limits: RunLimitsSchema,
    at: TimeSchema,
  }),
)
export type RunStarted = z.infer<typeof RunStartedSchema>

/** Somebody asked the run to stop: open work is ended first. Answered by run.cancelled. */
export const RunCancelRequestedSchema = defineEvent(
  'run.cancel.requested',
  1,
  z.object({ reason: z.string(), by: z.string(), at: TimeSchema }),
)
export type RunCancelRequested = z.infer<typeof RunCancelRequestedSchema>

/** Tokens and money, absolute. */
export const UsageSchema = z.object({
  modelTurns: z.number().int().nonnegative(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative(),
  /** Model calls whose price is unknown: the cost is then a lower bound. */
  unpricedTurns: z.number().int().nonnegative(),
})
export type Usage = z.infer<typeof UsageSchema>

/** The run ended with an answer: the last model turn asked for no tool. */
export const RunCompletedSchema = defineEvent(
  'run.completed',
  1,
  z.object({ usage: UsageSchema, at: TimeSchema }),
)
export type RunCompleted = z.infer<typeof RunCompletedSchema>

/** The run ended with a reason. */
export const RunFailedSchema = defineEvent(
  'run.failed',
  1,
  z.object({
    /** budget_exhausted, script_exhausted, unauthorized, rate_limited, server_error, timeout … */
    reason: z.string(),
    message: z.string(),
    usage: UsageSchema,
    at: TimeSchema,
  }),
)
export type RunFailed = z.infer<typeof RunFailedSchema>

/** The run ended on request: everything open has its outcome. Answers run.cancel.requested. */
export const RunCancelledSchema = defineEvent(
  'run.cancelled',
  1,
  z.object({ reason: z.string(), usage: UsageSchema, at: TimeSchema }),
)
export type RunCancelled = z.infer<typeof RunCancelledSchema>

/** A message entered the conversation. */
export const MessageAddedSchema = defineEvent(
  'message.added',
  1,
  z.object({ role: z.enum(['user', 'system']), text: StoredTextSchema }),
)
export type MessageAdded = z.infer<typeof MessageAddedSchema>
