import { z } from 'zod'
import { StoredJsonSchema, StoredTextSchema } from './blob-ref.js'
import { TimeSchema, defineEvent } from './define-event.js'

/** A model call is wanted. Answered by model.turn.completed or model.turn.failed of the same turn and attempt. */
export const ModelTurnRequestedSchema = defineEvent(
  'model.turn.requested',
  1,
  z.object({
    /** 1-based within the run. */
    turn: z.number().int().positive(),
    /** 1 for the first try; a takeover or retry appends the next one, which fences the one before. */
    attempt: z.number().int().positive(),
    /** The replica that acts. */
    writer: z.string(),
    /** Not before this time: back-off after a failure. */
    notBefore: TimeSchema.optional(),
    at: TimeSchema,
  }),
)
export type ModelTurnRequested = z.infer<typeof ModelTurnRequestedSchema>

/** A tool call as the model asked for it. */
export const AskedToolCallSchema = z.object({
  callId: z.string(),
  name: z.string(),
  /** Exactly the text the provider sent, also when it does not parse. */
  argumentsText: StoredTextSchema,
  /** SHA-256 of tool name and key-sorted arguments: the key of the repeat guard. */
  argumentsDigest: z.string(),
  concurrency: z.enum(['shared', 'exclusive']),
  replay: z.enum(['pure', 'keyed', 'unknown-on-crash']),
  observation: z.boolean(),
  /** Longest time the call may take, in milliseconds; 0 means no limit of its own. */
  deadlineMs: z.number().int().nonnegative(),
})
export type AskedToolCall = z.infer<typeof AskedToolCallSchema>

/** The model answered. Answers model.turn.requested. */
export const ModelTurnCompletedSchema = defineEvent(
  'model.turn.completed',
  1,
  z.object({
    turn: z.number().int().positive(),
    attempt: z.number().int().positive(),
    text: StoredTextSchema,
    toolCalls: z.array(AskedToolCallSchema),
    stop: z.enum(['end', 'tool_calls', 'length', 'refused']),
    /** The model that answered, as the provider names it. */
    model: z.string(),
    /** Absent when the provider did not say. */
    inputTokens: z.number().int().nonnegative().optional(),
    outputTokens: z.number().int().nonnegative().optional(),
    /** Absent when the price is unknown. */
    costUsd: z.number().nonnegative().optional(),
    /** Provider fields that must be sent back as they came. */
    extra: StoredJsonSchema.optional(),
  }),
)
export type ModelTurnCompleted = z.infer<typeof ModelTurnCompletedSchema>

/** The model call failed. Answers model.turn.requested; followed by the next attempt or by run.failed. */
export const ModelTurnFailedSchema = defineEvent(
  'model.turn.failed',
  1,
  z.object({
    turn: z.number().int().positive(),
    attempt: z.number().int().positive(),
    reason: z.string(),
    message: z.string(),
    retryable: z.boolean(),
  }),
)
export type ModelTurnFailed = z.infer<typeof ModelTurnFailedSchema>
