import { z } from 'zod'
import { DigestSchema, TimeSchema, defineEvent } from './define-event.js'

/** What every fact of a transfer says; each is on the stream of the transfer, and on that of its run. */
const fact = {
  effectId: z.string(),
  transferId: z.string(),
  /** The tool call that asked for the transfer. */
  callId: z.string(),
  /** The workspace that files are copied into. */
  workspaceId: z.string(),
  runId: z.string().optional(),
  at: TimeSchema,
}

const attempt = z.number().int().positive()
const index = z.number().int().nonnegative()
const sizeBytes = z.number().int().nonnegative()

/** One file to copy, workspace-relative on both sides. */
export const TransferPathsSchema = z.object({ sourcePath: z.string(), targetPath: z.string() })
export type TransferPaths = z.infer<typeof TransferPathsSchema>

/** Files are to be copied from one workspace into another (S-12). Answered by one of the ends below. */
export const TransferQueuedSchema = defineEvent(
  'transfer.queued',
  1,
  z.object({
    ...fact,
    sessionId: z.string(),
    agentId: z.string(),
    sourceWorkspaceId: z.string(),
    /** What becomes of a file that is at the target already. */
    conflict: z.enum(['reject', 'overwrite']),
    files: z.array(TransferPathsSchema),
  }),
)
export type TransferQueued = z.infer<typeof TransferQueuedSchema>

/** What is copied is fixed: the content that the last snapshot of the source had. Files that it had not are left out. */
export const TransferStartedSchema = defineEvent(
  'transfer.started',
  1,
  z.object({
    ...fact,
    attempt,
    contents: z.array(z.object({ index, sha256: DigestSchema, sizeBytes })),
  }),
)
export type TransferStarted = z.infer<typeof TransferStartedSchema>

/** A file is at its target: its content was compared, and it came there in one step. */
export const TransferFileCompletedSchema = defineEvent(
  'transfer.file.completed',
  1,
  z.object({
    ...fact,
    attempt,
    index,
    sourceWorkspaceId: z.string(),
    sourcePath: z.string(),
    targetPath: z.string(),
    sha256: DigestSchema,
    sizeBytes,
  }),
)
export type TransferFileCompleted = z.infer<typeof TransferFileCompletedSchema>

/** A file is not at its target by this transfer; `unknown` says that this is not sure. */
export const TransferFileFailedSchema = defineEvent(
  'transfer.file.failed',
  1,
  z.object({
    ...fact,
    attempt,
    index,
    sourceWorkspaceId: z.string(),
    sourcePath: z.string(),
    targetPath: z.string(),
    /** source_missing, source_unusable, conflict, no_space, hash_mismatch, workspace_busy, refused, unknown. */
    reason: z.string(),
    message: z.string(),
  }),
)
export type TransferFileFailed = z.infer<typeof TransferFileFailedSchema>

/** Somebody wants the transfer to end (S-15): what is at its target stays there. */
export const TransferCancelRequestedSchema = defineEvent(
  'transfer.cancel.requested',
  1,
  z.object(fact),
)
export type TransferCancelRequested = z.infer<typeof TransferCancelRequestedSchema>

const end = z.object({
  ...fact,
  /** Files at their target, files that failed, and bytes of the former. */
  completedFiles: z.number().int().nonnegative(),
  failedFiles: z.number().int().nonnegative(),
  copiedBytes: sizeBytes,
  /** Why it ended before every file was tried; empty otherwise. */
  reason: z.string(),
})

/** Every file is at its target. */
export const TransferCompletedSchema = defineEvent('transfer.completed', 1, end)
/** Some files are at their target, others failed. */
export const TransferPartialSchema = defineEvent('transfer.partial', 1, end)
/** No file is at its target. */
export const TransferFailedSchema = defineEvent('transfer.failed', 1, end)
/** It ended on request. */
export const TransferCancelledSchema = defineEvent('transfer.cancelled', 1, end)
/** It was given up while it is not known what became of a file. */
export const TransferUnknownSchema = defineEvent('transfer.unknown', 1, end)

/** The ends of a transfer: exactly one of them happens. */
export const TransferEndSchema = z.discriminatedUnion('type', [
  TransferCompletedSchema,
  TransferPartialSchema,
  TransferFailedSchema,
  TransferCancelledSchema,
  TransferUnknownSchema,
])
export type TransferEnd = z.infer<typeof TransferEndSchema>

/** Every fact of a transfer that its run records. */
export const transferSchemas = [
  TransferQueuedSchema,
  TransferStartedSchema,
  TransferFileCompletedSchema,
  TransferFileFailedSchema,
  TransferCancelRequestedSchema,
  TransferCompletedSchema,
  TransferPartialSchema,
  TransferFailedSchema,
  TransferCancelledSchema,
  TransferUnknownSchema,
] as const

export type TransferFact = z.infer<(typeof transferSchemas)[number]>

const ended = {
  'transfer.completed': 'completed',
  'transfer.partial': 'completed in part',
  'transfer.failed': 'failed',
  'transfer.cancelled': 'cancelled',
  'transfer.unknown': 'given up',
} as const

/** A fact of a transfer in words. */
export function describeTransfer(event: TransferFact): string {
  switch (event.type) {
    case 'transfer.queued':
      return `transfer of ${filesText(event.data.files.length)} to ${event.data.workspaceId} queued`
    case 'transfer.started':
      return `transfer started: ${filesText(event.data.contents.length)} to ${event.data.workspaceId}`
    case 'transfer.file.completed':
      return `transferred ${event.data.targetPath}, ${event.data.sizeBytes} bytes`
    case 'transfer.file.failed':
      return `not transferred: ${event.data.sourcePath}: ${event.data.message}`
    case 'transfer.cancel.requested':
      return `stop of transfer ${event.data.transferId} requested`
    case 'transfer.completed':
    case 'transfer.partial':
    case 'transfer.failed':
    case 'transfer.cancelled':
    case 'transfer.unknown': {
      const { completedFiles, failedFiles, copiedBytes } = event.data
      const failures = failedFiles === 0 ? '' : `, ${failedFiles} failed`
      return `transfer ${ended[event.type]}: ${filesText(completedFiles)}, ${copiedBytes} bytes${failures}`
    }
  }
}

function filesText(count: number): string {
  return `${count} file${count === 1 ? '' : 's'}`
}
