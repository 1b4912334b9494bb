import { z } from 'zod'
import { BlobRefSchema } from './blob-ref.js'
import { DigestSchema, TimeSchema, defineEvent } from './define-event.js'
import { transferSchemas } from './transfers.js'

/** Every effect names itself (recorded once per run), its call, and the workspace it happened in. */
const effect = {
  effectId: z.string(),
  /** The tool call that brought it about; empty for a fact without one. */
  callId: z.string(),
  workspaceId: z.string(),
  /** The run that it belongs to; empty or absent for a fact without one. */
  runId: z.string().optional(),
}

/** A file that a process could have read, and how sure that is. */
export const ExecutionInputSchema = z.object({
  path: z.string(),
  sha256: DigestSchema,
  /** declared by the caller; observed by access time; possible: in the base snapshot, nothing more is known. */
  evidence: z.enum(['declared', 'observed', 'possible']),
  /** Pool whose workspace held it. */
  runnerId: z.string(),
})
export type ExecutionInput = z.infer<typeof ExecutionInputSchema>

/** Items as they are up to 64, else a blob holding them as one JSON array. */
const listOf = <Item extends z.ZodType>(
  item: Item,
): z.ZodUnion<
  readonly [z.ZodObject<{ items: z.ZodArray<Item> }>, z.ZodObject<{ blob: typeof BlobRefSchema }>]
> => z.union([z.object({ items: z.array(item) }), z.object({ blob: BlobRefSchema })])

/** A sandboxed process tree ended: it is gone and the snapshot is stored. Also on the workspace's stream. */
export const ExecutionCompletedSchema = defineEvent(
  'execution.completed',
  1,
  z.object({
    ...effect,
    executionId: z.string(),
    runnerId: z.string(),
    /** `unknown`: the owner was lost; not confirmed, which does not mean it did not run. */
    state: z.enum(['completed', 'failed', 'cancelled', 'unknown']),
    exitCode: z.number().int().nullable(),
    /** exit_code, cancelled, timed_out, memory_limit …; empty when completed. */
    reason: z.string(),
    /** The reason in words, when there is more to say: which limit, and its value. */
    explanation: z.string().optional(),
    command: z.object({ digest: DigestSchema, preview: z.string() }),
    environment: z.object({ id: z.string(), revision: z.string() }),
    startedAt: TimeSchema,
    finishedAt: TimeSchema,
    stdoutBytes: z.number().int().nonnegative(),
    stderrBytes: z.number().int().nonnegative(),
    inputs: listOf(ExecutionInputSchema),
    /** Further possible inputs: every file of this tree that is not among the inputs. */
    possibleInputs: z
      .object({ tree: DigestSchema, count: z.number().int().nonnegative() })
      .optional(),
    /** What appeared in the workspace and is in no snapshot: escaped path with the reason, the first of them. */
    skipped: z
      .object({ items: z.array(z.string()), total: z.number().int().nonnegative() })
      .optional(),
  }),
)
export type ExecutionCompleted = z.infer<typeof ExecutionCompletedSchema>

/** One path that differs between two snapshots. */
export const FileChangeSchema = z.object({
  path: z.string(),
  change: z.enum(['created', 'modified', 'deleted']),
  /** Content after the change; absent when deleted. */
  sha256: DigestSchema.optional(),
  sizeBytes: z.number().int().nonnegative().optional(),
  /** Content before the change; absent when created. */
  previousSha256: DigestSchema.optional(),
})
export type FileChange = z.infer<typeof FileChangeSchema>

/** A snapshot of a workspace was committed and differs from the one before. Also on the workspace's stream. */
export const WorkspaceChangedSchema = defineEvent(
  'workspace.changed',
  1,
  z.object({
    ...effect,
    runnerId: z.string(),
    /** Execution whose end made the snapshot; empty for file tools. */
    executionId: z.string(),
    /** agent, tool, upload, mcp-download, transfer, subagent, or unknown: changed behind the platform's back. */
    origin: z.string(),
    /** Tree digests, before and after; null before the first snapshot. */
    baseTree: DigestSchema.nullable(),
    tree: DigestSchema,
    created: z.number().int().nonnegative(),
    modified: z.number().int().nonnegative(),
    deleted: z.number().int().nonnegative(),
    changes: listOf(FileChangeSchema),
    at: TimeSchema,
  }),
)
export type WorkspaceChanged = z.infer<typeof WorkspaceChangedSchema>

/** Content was declared as a version of an artifact. */
export const ArtifactDeclaredSchema = defineEvent(
  'artifact.declared',
  1,
  z.object({
    ...effect,
    artifactId: z.string(),
    versionId: z.string(),
    name: z.string(),
    version: z.number().int().positive(),
    path: z.string(),
    sha256: DigestSchema,
    sizeBytes: z.number().int().nonnegative(),
    mediaType: z.string(),
    origin: z.string(),
    at: TimeSchema,
  }),
)
export type ArtifactDeclared = z.infer<typeof ArtifactDeclaredSchema>

/** A result was longer than a model is shown, and was kept whole before anything pointed at it (S-20). */
export const ToolOutputStoredSchema = defineEvent(
  'tool_output.stored',
  1,
  z.object({
    effectId: z.string(),
    callId: z.string(),
    runId: z.string().optional(),
    /** What the model names it by. */
    ref: z.string(),
    digest: DigestSchema,
    sizeBytes: z.number().int().nonnegative(),
    lines: z.number().int().nonnegative(),
    /** Tool whose result it is. */
    tool: z.string(),
  }),
)
export type ToolOutputStored = z.infer<typeof ToolOutputStoredSchema>

/** A part of a kept result was read: what the counters of reading are made of (S-19). */
export const ToolOutputReadSchema = defineEvent(
  'tool_output.read',
  1,
  z.object({
    effectId: z.string(),
    callId: z.string(),
    runId: z.string().optional(),
    ref: z.string(),
    /** Equal for equal parts: the same page, or the same search. */
    pageKey: z.string(),
    bytes: z.number().int().nonnegative(),
  }),
)
export type ToolOutputRead = z.infer<typeof ToolOutputReadSchema>

/** The outcome of a call came after the call had been given up: kept, never applied. */
export const EffectRecordedSchema = defineEvent(
  'effect.recorded',
  1,
  z.object({ effectId: z.string(), callId: z.string(), summary: z.string() }),
)
export type EffectRecorded = z.infer<typeof EffectRecordedSchema>

/** What an owner hands over to be recorded on a run. */
export const EffectSchema = z.discriminatedUnion('type', [
  ExecutionCompletedSchema,
  WorkspaceChangedSchema,
  ArtifactDeclaredSchema,
  ToolOutputStoredSchema,
  ToolOutputReadSchema,
  ...transferSchemas,
])
export type Effect = z.infer<typeof EffectSchema>
