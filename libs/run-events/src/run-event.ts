import { z } from 'zod'
import {
  ArtifactDeclaredSchema,
  EffectRecordedSchema,
  ExecutionCompletedSchema,
  ToolOutputReadSchema,
  ToolOutputStoredSchema,
  WorkspaceChangedSchema,
} from './effects.js'
import {
  ModelTurnCompletedSchema,
  ModelTurnFailedSchema,
  ModelTurnRequestedSchema,
} from './model-turn.js'
import {
  MessageAddedSchema,
  RunCancelRequestedSchema,
  RunCancelledSchema,
} from './run-lifecycle.js'
import { RunCompletedSchema, RunFailedSchema, RunStartedSchema } from './run-lifecycle.js'
import {
  PlanUpdatedSchema,
  ToolCallBlockedSchema,
  ToolCallCompletedSchema,
  ToolCallFailedSchema,
} from './tool-call.js'
import {
  ToolCallReleasedSchema,
  ToolCallRequestedSchema,
  ToolCallSupersededSchema,
} from './tool-call.js'
import { transferSchemas } from './transfers.js'

/** Everything that can happen in a run. */
export const RunEventSchema = z.discriminatedUnion('type', [
  RunStartedSchema,
  MessageAddedSchema,
  ModelTurnRequestedSchema,
  ModelTurnCompletedSchema,
  ModelTurnFailedSchema,
  ToolCallRequestedSchema,
  ToolCallBlockedSchema,
  ToolCallReleasedSchema,
  ToolCallCompletedSchema,
  ToolCallSupersededSchema,
  ToolCallFailedSchema,
  PlanUpdatedSchema,
  ExecutionCompletedSchema,
  WorkspaceChangedSchema,
  ArtifactDeclaredSchema,
  ToolOutputStoredSchema,
  ToolOutputReadSchema,
  ...transferSchemas,
  EffectRecordedSchema,
  RunCancelRequestedSchema,
  RunCompletedSchema,
  RunFailedSchema,
  RunCancelledSchema,
])
export type RunEvent = z.infer<typeof RunEventSchema>

/** An event as it is stored. */
export interface StoredRunEvent {
  readonly type: string
  readonly v: number
  readonly data: unknown
}

/** The event behind a stored shape of any version; throws on one this release does not know. */
export function parseRunEvent(stored: StoredRunEvent): RunEvent {
  return RunEventSchema.parse(stored)
}

/** Types after which a run goes on no further. */
export const finalRunEventTypes: readonly RunEvent['type'][] = [
  'run.completed',
  'run.failed',
  'run.cancelled',
]
