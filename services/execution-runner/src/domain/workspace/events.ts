import { z } from 'zod'
import {
  BlobRefSchema,
  DigestSchema,
  ExecutionCompletedSchema,
  StoredJsonSchema,
  TimeSchema,
  WorkspaceChangedSchema,
  defineEvent,
} from '@sciencediscovery/run-events'

const epoch = z.number().int().positive()

/** The workspace needs an owner; answered by `workspace.claimed`. */
export const PlacementRequestedSchema = defineEvent(
  'placement.requested',
  1,
  z.object({ epoch, pool: z.string(), at: TimeSchema }),
)

/** A replica took the placement; its epoch is higher than any before, and what older epochs left open is settled. */
export const WorkspaceClaimedSchema = defineEvent(
  'workspace.claimed',
  1,
  z.object({ placement: epoch, epoch, replicaId: z.string(), address: z.string(), at: TimeSchema }),
)

/** The owner gave the workspace back; its last snapshot is what the next owner restores. */
export const WorkspaceReleasedSchema = defineEvent(
  'workspace.released',
  1,
  z.object({ epoch, at: TimeSchema }),
)

/** Who asked, and for which call. */
export const AskerSchema = z.object({
  sessionId: z.string(),
  runId: z.string(),
  agentId: z.string(),
  callId: z.string(),
})
export type Asker = z.infer<typeof AskerSchema>

/** What an execution runs. */
export const ExecutionOrderSchema = z.object({
  command: z.string(),
  scriptPath: z.string(),
  arguments: z.array(z.string()),
  cwd: z.string(),
  environmentId: z.string(),
  timeoutMs: z.number().int().nonnegative(),
  declaredInputs: z.array(z.string()),
})
export type ExecutionOrder = z.infer<typeof ExecutionOrderSchema>

/** An execution waits for its turn; answered by `execution.completed`. */
export const ExecutionQueuedSchema = defineEvent(
  'execution.queued',
  1,
  z.object({
    executionId: z.string(),
    asker: AskerSchema,
    command: z.object({ digest: DigestSchema, preview: z.string() }),
    order: StoredJsonSchema,
    at: TimeSchema,
  }),
)

/** The owner starts the process tree of the execution. */
export const ExecutionStartedSchema = defineEvent(
  'execution.started',
  1,
  z.object({ executionId: z.string(), epoch, at: TimeSchema }),
)

/** Somebody wants the execution to end; for one that was never queued this refuses it. */
export const ExecutionCancelRequestedSchema = defineEvent(
  'execution.cancel.requested',
  1,
  z.object({ executionId: z.string(), reason: z.enum(['cancelled', 'timed_out']), at: TimeSchema }),
)

/** Where the retained output is: small ones as base64, others as a manifest of segments. */
export const StoredOutputSchema = z.union([
  z.object({
    inline: z.object({
      stdout: z.base64(),
      stderr: z.base64(),
      /** In which order the bytes came: lengths of runs, the first one of stdout. */
      runs: z.array(z.number().int().nonnegative()).optional(),
    }),
  }),
  z.object({ manifest: BlobRefSchema }),
])
export type StoredOutput = z.infer<typeof StoredOutputSchema>

/** A running execution wrote so much that what there is was stored: it can be read whatever becomes of its owner. */
export const ExecutionOutputRecordedSchema = defineEvent(
  'execution.output.recorded',
  1,
  z.object({
    executionId: z.string(),
    epoch,
    output: StoredOutputSchema,
    stdoutBytes: z.number().int().nonnegative(),
    stderrBytes: z.number().int().nonnegative(),
    at: TimeSchema,
  }),
)

/** The process tree of the execution is gone. Always in one commit with the snapshot and `execution.completed`. */
export const ExecutionExitedSchema = defineEvent(
  'execution.exited',
  1,
  z.object({ executionId: z.string(), epoch, output: StoredOutputSchema, at: TimeSchema }),
)

/** The files of the workspace are stored as this tree. */
export const SnapshotCommittedSchema = defineEvent(
  'snapshot.committed',
  1,
  z.object({
    epoch,
    baseTree: DigestSchema.nullable(),
    tree: DigestSchema,
    files: z.number().int().nonnegative(),
    sizeBytes: z.number().int().nonnegative(),
    at: TimeSchema,
  }),
)

/** A file tool or an upload did its work; its key answers whoever asks again. */
export const FileCommittedSchema = defineEvent(
  'file.committed',
  1,
  z.object({
    effectKey: z.string(),
    requestDigest: DigestSchema,
    path: z.string(),
    sha256: DigestSchema,
    sizeBytes: z.number().int().nonnegative(),
    mediaType: z.string(),
    replacements: z.number().int().nonnegative(),
    at: TimeSchema,
  }),
)

/** Everything that can happen in a workspace. */
export const WorkspaceEventSchema = z.discriminatedUnion('type', [
  PlacementRequestedSchema,
  WorkspaceClaimedSchema,
  WorkspaceReleasedSchema,
  ExecutionQueuedSchema,
  ExecutionStartedSchema,
  ExecutionCancelRequestedSchema,
  ExecutionOutputRecordedSchema,
  ExecutionExitedSchema,
  SnapshotCommittedSchema,
  FileCommittedSchema,
  ExecutionCompletedSchema,
  WorkspaceChangedSchema,
])
export type WorkspaceEvent = z.infer<typeof WorkspaceEventSchema>
export type FileCommitted = z.infer<typeof FileCommittedSchema>
