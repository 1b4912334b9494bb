import { z } from 'zod'
import { StoredJsonSchema, StoredTextSchema } from './blob-ref.js'
import { TimeSchema, defineEvent } from './define-event.js'

/** Who allowed a call. One per call. */
export const AuthorizationSchema = z.object({
  authorizationId: z.string(),
  action: z.string(),
  resource: z.string(),
  source: z.enum(['always_allow', 'existing_grant', 'user_once', 'user_grant']),
})
export type Authorization = z.infer<typeof AuthorizationSchema>

/** A tool call may run now. Ends with exactly one of completed, failed and superseded. */
export const ToolCallRequestedSchema = defineEvent(
  'tool.call.requested',
  1,
  z.object({
    callId: z.string(),
    name: z.string(),
    turn: z.number().int().positive(),
    /** 1 for the first try; a takeover appends the next one, which fences the one before. */
    attempt: z.number().int().positive(),
    /** The replica that acts. */
    writer: z.string(),
    at: TimeSchema,
  }),
)
export type ToolCallRequested = z.infer<typeof ToolCallRequestedSchema>

/** A call waits for a decision of the session. Answered by tool.call.released, or by the end of the call. */
export const ToolCallBlockedSchema = defineEvent(
  'tool.call.blocked',
  1,
  z.object({
    callId: z.string(),
    /** What `scid approve` decides. */
    requestId: z.string(),
    action: z.string(),
    resource: z.string(),
    summary: z.string(),
  }),
)
export type ToolCallBlocked = z.infer<typeof ToolCallBlockedSchema>

/** A call was allowed: the next ask carries the authorization. */
export const ToolCallReleasedSchema = defineEvent(
  'tool.call.released',
  1,
  z.object({
    callId: z.string(),
    requestId: z.string(),
    authorization: AuthorizationSchema,
    attempt: z.number().int().positive(),
    writer: z.string(),
    at: TimeSchema,
  }),
)
export type ToolCallReleased = z.infer<typeof ToolCallReleasedSchema>

/** A call ended with a result, which may be an error that the model reads. Answers tool.call.requested. */
export const ToolCallCompletedSchema = defineEvent(
  'tool.call.completed',
  1,
  z.object({
    callId: z.string(),
    name: z.string(),
    isError: z.boolean(),
    /** What the model sees. */
    text: StoredTextSchema,
    details: StoredJsonSchema,
    /** Reference to the whole output when the text is only a part of it (S-20). */
    ref: z.string().optional(),
  }),
)
export type ToolCallCompleted = z.infer<typeof ToolCallCompletedSchema>

/** A plan call was replaced by a later one of the same turn (S-23). Answers tool.call.requested. */
export const ToolCallSupersededSchema = defineEvent(
  'tool.call.superseded',
  1,
  z.object({ callId: z.string(), name: z.string(), by: z.string() }),
)
export type ToolCallSuperseded = z.infer<typeof ToolCallSupersededSchema>

/** A call ended without a result. Answers tool.call.requested. */
export const ToolCallFailedSchema = defineEvent(
  'tool.call.failed',
  1,
  z.object({
    callId: z.string(),
    name: z.string(),
    reason: z.enum(['gave_up', 'unknown', 'cancelled']),
    message: z.string(),
  }),
)
export type ToolCallFailed = z.infer<typeof ToolCallFailedSchema>

/** The plan of an agent was replaced as a whole; at most once per model turn (S-23). */
export const PlanUpdatedSchema = defineEvent(
  'plan.updated',
  1,
  z.object({
    callId: z.string(),
    agentId: z.string(),
    items: z.array(
      z.object({ step: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) }),
    ),
    explanation: z.string().optional(),
  }),
)
export type PlanUpdated = z.infer<typeof PlanUpdatedSchema>
export type PlanItem = PlanUpdated['data']['items'][number]
