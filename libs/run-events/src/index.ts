export {
  BlobRefSchema,
  StoredTextSchema,
  StoredJsonSchema,
  maxInlineBytes,
  maxInlineItems,
} from './blob-ref.js'
export { type BlobRef, type StoredText, type StoredJson } from './blob-ref.js'
export { defineEvent, DigestSchema, TimeSchema } from './define-event.js'
export {
  RunStartedSchema,
  RunCancelRequestedSchema,
  RunCompletedSchema,
  RunFailedSchema,
} from './run-lifecycle.js'
export {
  RunCancelledSchema,
  MessageAddedSchema,
  TriggerSchema,
  RunLimitsSchema,
  UsageSchema,
} from './run-lifecycle.js'
export {
  type RunStarted,
  type RunCancelRequested,
  type RunCompleted,
  type RunFailed,
} from './run-lifecycle.js'
export {
  type RunCancelled,
  type MessageAdded,
  type RunLimits,
  type Usage,
} from './run-lifecycle.js'
export {
  ModelTurnRequestedSchema,
  ModelTurnCompletedSchema,
  ModelTurnFailedSchema,
} from './model-turn.js'
export { AskedToolCallSchema, type AskedToolCall } from './model-turn.js'
export {
  type ModelTurnRequested,
  type ModelTurnCompleted,
  type ModelTurnFailed,
} from './model-turn.js'
export {
  ToolCallRequestedSchema,
  ToolCallBlockedSchema,
  ToolCallReleasedSchema,
} from './tool-call.js'
export {
  ToolCallCompletedSchema,
  ToolCallSupersededSchema,
  ToolCallFailedSchema,
} from './tool-call.js'
export {
  PlanUpdatedSchema,
  AuthorizationSchema,
  type Authorization,
  type PlanItem,
} from './tool-call.js'
export { type ToolCallRequested, type ToolCallBlocked, type ToolCallReleased } from './tool-call.js'
export {
  type ToolCallCompleted,
  type ToolCallSuperseded,
  type ToolCallFailed,
  type PlanUpdated,
} from './tool-call.js'
export {
  ExecutionCompletedSchema,
  WorkspaceChangedSchema,
  ArtifactDeclaredSchema,
  EffectRecordedSchema,
} from './effects.js'
export { EffectSchema, ExecutionInputSchema, FileChangeSchema } from './effects.js'
export { ToolOutputStoredSchema, ToolOutputReadSchema } from './effects.js'
export { type ToolOutputStored, type ToolOutputRead } from './effects.js'
export {
  type ExecutionCompleted,
  type WorkspaceChanged,
  type ArtifactDeclared,
  type EffectRecorded,
} from './effects.js'
export { type Effect, type ExecutionInput, type FileChange } from './effects.js'
export {
  TransferQueuedSchema,
  TransferStartedSchema,
  TransferFileCompletedSchema,
  TransferFileFailedSchema,
  TransferCancelRequestedSchema,
  TransferEndSchema,
  TransferPathsSchema,
  transferSchemas,
} from './transfers.js'
export {
  type TransferQueued,
  type TransferStarted,
  type TransferFileCompleted,
  type TransferFileFailed,
  type TransferEnd,
  type TransferFact,
  type TransferPaths,
} from './transfers.js'
export {
  RunEventSchema,
  parseRunEvent,
  finalRunEventTypes,
  type RunEvent,
  type StoredRunEvent,
} from './run-event.js'
export {
  isProjectId,
  sessionIdOf,
  runIdOf,
  mainAgentIdOf,
  workspaceIdOf,
  executionIdOf,
} from './identity.js'
export {
  projectOfSession,
  projectOf,
  projectOfRun,
  placeOfWorkspace,
  workspaceOfExecution,
} from './identity.js'
export {
  runSubject,
  sessionSubject,
  workspaceSubject,
  projectSubject,
  artifactSubject,
  transferSubject,
} from './identity.js'
export { summaryOf, cutBytes } from './summary.js'
