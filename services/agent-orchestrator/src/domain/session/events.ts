import {
  AuthorizationSchema,
  RunLimitsSchema,
  StoredTextSchema,
  TimeSchema,
  TriggerSchema,
  defineEvent,
} from '@sciencediscovery/run-events'
import { z } from 'zod'

/** What a session is set to. */
export const SessionSettingsSchema = z.object({
  title: z.string(),
  profile: z.enum(['science', 'harness', 'registry']),
  model: z.string(),
  approvalMode: z.enum(['ask', 'always_allow']),
  inputPolicy: z.enum(['enqueue', 'interrupt', 'reject']),
  toolPolicy: z.object({ allow: z.array(z.string()), deny: z.array(z.string()) }),
  skills: z.array(z.string()),
  sources: z.array(z.string()),
  environmentId: z.string(),
  runnerId: z.string(),
})
export type SessionSettings = z.infer<typeof SessionSettingsSchema>

/** An input and what it shall be worked on with. */
export const QueuedRunSchema = z.object({
  runId: z.string(),
  trigger: TriggerSchema,
  message: StoredTextSchema,
  goal: z.string(),
  model: z.string(),
  limits: RunLimitsSchema,
})
export type QueuedRun = z.infer<typeof QueuedRunSchema>

/** A session begins: always the first event. */
export const SessionCreatedSchema = defineEvent(
  'session.created',
  1,
  z.object({
    sessionId: z.string(),
    projectId: z.string(),
    settings: SessionSettingsSchema,
    at: TimeSchema,
  }),
)

/** The settings were replaced as a whole. */
export const SessionUpdatedSchema = defineEvent(
  'session.updated',
  1,
  z.object({ settings: SessionSettingsSchema, at: TimeSchema }),
)

/** The session takes no new runs. */
export const SessionArchivedSchema = defineEvent(
  'session.archived',
  1,
  z.object({ at: TimeSchema }),
)

/** An input was accepted. Answered by session.run.admitted or session.run.withdrawn. */
export const RunQueuedSchema = defineEvent(
  'session.run.queued',
  1,
  z.object({ run: QueuedRunSchema, at: TimeSchema }),
)

/** The run's turn has come: it shall be started by `writer`. Answered by session.run.ended. */
export const RunAdmittedSchema = defineEvent(
  'session.run.admitted',
  1,
  z.object({ runId: z.string(), writer: z.string(), at: TimeSchema }),
)

/** A queued run was stopped before its turn came. */
export const RunWithdrawnSchema = defineEvent(
  'session.run.withdrawn',
  1,
  z.object({ runId: z.string(), reason: z.string(), at: TimeSchema }),
)

/** The active run shall stop because a newer input came (input policy interrupt). */
export const RunInterruptedSchema = defineEvent(
  'session.run.interrupted',
  1,
  z.object({ runId: z.string(), by: z.string(), at: TimeSchema }),
)

/** The admitted run has ended. */
export const RunEndedSchema = defineEvent(
  'session.run.ended',
  1,
  z.object({
    runId: z.string(),
    status: z.enum(['completed', 'failed', 'cancelled']),
    /** Model turns the run completed: the place in a script goes on from here. */
    turns: z.number().int().nonnegative(),
    at: TimeSchema,
  }),
)

/** A call needs a decision. Answered by permission.resolved. */
export const PermissionRequestedSchema = defineEvent(
  'permission.requested',
  1,
  z.object({
    requestId: z.string(),
    runId: z.string(),
    callId: z.string(),
    action: z.string(),
    resource: z.string(),
    summary: z.string(),
    at: TimeSchema,
  }),
)

/** The one outcome of a request; when it is allowed, with the call's one authorization. */
export const PermissionResolvedSchema = defineEvent(
  'permission.resolved',
  1,
  z.object({
    requestId: z.string(),
    runId: z.string(),
    callId: z.string(),
    state: z.enum(['allowed', 'denied', 'cancelled']),
    authorization: AuthorizationSchema.optional(),
    /** Who decided: a principal, or `session` for a mode or grant. */
    by: z.string(),
    at: TimeSchema,
  }),
)

/** Later calls with the same action and resource are allowed in this session. */
export const GrantCreatedSchema = defineEvent(
  'grant.created',
  1,
  z.object({
    grantId: z.string(),
    action: z.string(),
    resource: z.string(),
    by: z.string(),
    at: TimeSchema,
  }),
)

/** Everything that can happen in a session. */
export const SessionEventSchema = z.discriminatedUnion('type', [
  SessionCreatedSchema,
  SessionUpdatedSchema,
  SessionArchivedSchema,
  RunQueuedSchema,
  RunAdmittedSchema,
  RunWithdrawnSchema,
  RunInterruptedSchema,
  RunEndedSchema,
  PermissionRequestedSchema,
  PermissionResolvedSchema,
  GrantCreatedSchema,
])
export type SessionEvent = z.infer<typeof SessionEventSchema>
