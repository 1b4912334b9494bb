import { PlatformError, exhaustive } from '@sciencediscovery/kernel'
import {
  type Transfer,
  type TransferFile,
  TransferFileState,
  TransferState,
} from '@sciencediscovery/proto-gen/transfers/v1/transfers'
import { z } from 'zod'
import { count } from './words.js'

/** Where a transfer is (S-12, C-17). */
const StateSchema = z.enum([
  'queued',
  'running',
  'completed',
  'partial',
  'failed',
  'cancelled',
  'unknown',
])

const FileSchema = z.strictObject({
  sourcePath: z.string(),
  targetPath: z.string(),
  /** `skipped`: the transfer ended before it was tried. */
  state: z.enum(['pending', 'completed', 'failed', 'skipped']),
  /** What is copied, once that is fixed. */
  sha256: z.string().optional(),
  sizeBytes: z.int().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
})

/** A transfer as programs read it. */
export const TransferSchema = z.strictObject({
  id: z.string(),
  state: StateSchema,
  sourceWorkspaceId: z.string(),
  targetWorkspaceId: z.string(),
  files: z.array(FileSchema),
  completedFiles: z.int(),
  failedFiles: z.int(),
  cancelRequested: z.boolean(),
  queuedAt: z.string(),
  startedAt: z.string(),
  finishedAt: z.string(),
  reason: z.string().optional(),
})
export type TransferRecord = z.infer<typeof TransferSchema>

/** The record that the owner answered with. */
export function toTransferRecord(transfer: Transfer | undefined): TransferRecord {
  if (!transfer) throw new PlatformError('bug', 'the artifact store sent no transfer')
  const files = transfer.files.map(toFile)
  const { cancelRequested, queuedAt, startedAt, finishedAt, reason } = transfer
  return {
    id: transfer.transferId,
    state: toState(transfer.state),
    sourceWorkspaceId: transfer.sourceWorkspaceId,
    targetWorkspaceId: transfer.targetWorkspaceId,
    files,
    completedFiles: files.filter(({ state }) => state === 'completed').length,
    failedFiles: files.filter(({ state }) => state === 'failed').length,
    ...{ cancelRequested, queuedAt, startedAt, finishedAt },
    ...(reason !== '' && { reason }),
  }
}

function toFile(file: TransferFile): TransferRecord['files'][number] {
  const { sourcePath, targetPath, digest, sizeBytes, reason, message } = file
  return {
    ...{ sourcePath, targetPath },
    state: toFileState(file.state),
    ...(digest !== '' && { sha256: digest, sizeBytes: Number(sizeBytes) }),
    ...(reason !== '' && { reason }),
    ...(message !== '' && { message }),
  }
}

function toState(state: TransferState): TransferRecord['state'] {
  switch (state) {
    case TransferState.TRANSFER_STATE_QUEUED:
      return 'queued'
    case TransferState.TRANSFER_STATE_RUNNING:
      return 'running'
    case TransferState.TRANSFER_STATE_COMPLETED:
      return 'completed'
    case TransferState.TRANSFER_STATE_PARTIAL:
      return 'partial'
    case TransferState.TRANSFER_STATE_FAILED:
      return 'failed'
    case TransferState.TRANSFER_STATE_CANCELLED:
      return 'cancelled'
    case TransferState.TRANSFER_STATE_UNKNOWN:
      return 'unknown'
    case TransferState.TRANSFER_STATE_UNSPECIFIED:
      throw new PlatformError('bug', 'the artifact store sent a transfer without a state')
    default:
      return exhaustive(state)
  }
}

function toFileState(state: TransferFileState): TransferRecord['files'][number]['state'] {
  switch (state) {
    case TransferFileState.TRANSFER_FILE_STATE_PENDING:
      return 'pending'
    case TransferFileState.TRANSFER_FILE_STATE_COMPLETED:
      return 'completed'
    case TransferFileState.TRANSFER_FILE_STATE_FAILED:
      return 'failed'
    case TransferFileState.TRANSFER_FILE_STATE_SKIPPED:
      return 'skipped'
    case TransferFileState.TRANSFER_FILE_STATE_UNSPECIFIED:
      throw new PlatformError('bug', 'the artifact store sent a file without a state')
    default:
      return exhaustive(state)
  }
}

/** The transfer for reading: how it stands, each file that needs a look, what to do next. */
export function transferText(record: TransferRecord): string {
  const lines = [headline(record)]
  for (const { sourcePath, targetPath, state, message, reason } of record.files) {
    const why = state === 'failed' ? ` (${reason ?? 'failed'}): ${message ?? ''}` : ''
    lines.push(`${state}${why} ${sourcePath} -> ${targetPath}`)
  }
  return lines.join('\n')
}

/** How it stands, in one line. */
export function headline(record: TransferRecord): string {
  const { id, state, files, completedFiles, sourceWorkspaceId, targetWorkspaceId } = record
  const way = `from ${sourceWorkspaceId} to ${targetWorkspaceId}`
  const done = `transfer ${id} ${state}: ${completedFiles} of ${count(files.length, 'file')} ${way}`
  if (state !== 'queued' && state !== 'running') return done
  const ending = record.cancelRequested ? ' Its end was asked for.' : ''
  return `${done}. It goes on by itself.${ending} Follow it with operation status, transfer_id "${id}".`
}
