import {
  type Transfer,
  type TransferFile,
  TransferFileState,
  TransferState,
} from '@sciencediscovery/proto-gen/transfers/v1/transfers'
import { projectOfSession } from '@sciencediscovery/run-events'
import { type BornTransfer, isGoingOn, type TransferredFile } from '../domain/transfer/state.js'

const states = {
  queued: TransferState.TRANSFER_STATE_QUEUED,
  running: TransferState.TRANSFER_STATE_RUNNING,
  completed: TransferState.TRANSFER_STATE_COMPLETED,
  partial: TransferState.TRANSFER_STATE_PARTIAL,
  failed: TransferState.TRANSFER_STATE_FAILED,
  cancelled: TransferState.TRANSFER_STATE_CANCELLED,
  unknown: TransferState.TRANSFER_STATE_UNKNOWN,
} as const

const fileStates = {
  pending: TransferFileState.TRANSFER_FILE_STATE_PENDING,
  completed: TransferFileState.TRANSFER_FILE_STATE_COMPLETED,
  failed: TransferFileState.TRANSFER_FILE_STATE_FAILED,
} as const

/** The transfer as callers see it. */
export function toTransfer(born: BornTransfer): Transfer {
  const { order, status, files, cancelRequested, queuedAt, startedAt, finishedAt, reason } = born
  const { transferId, sessionId, agentId, sourceWorkspaceId, workspaceId } = order
  return {
    ...{ transferId, sessionId, agentId, sourceWorkspaceId },
    projectId: projectOfSession(sessionId),
    targetWorkspaceId: workspaceId,
    state: states[status],
    files: files.map((file) => toFile(file, isGoingOn(born))),
    ...{ cancelRequested, queuedAt, startedAt, finishedAt, reason },
  }
}

function toFile(file: TransferredFile, goesOn: boolean): TransferFile {
  const { sourcePath, targetPath, status, content, reason, message } = file
  const isSkipped = status === 'pending' && !goesOn
  return {
    ...{ sourcePath, targetPath, reason, message },
    state: isSkipped ? TransferFileState.TRANSFER_FILE_STATE_SKIPPED : fileStates[status],
    digest: content?.sha256 ?? '',
    sizeBytes: BigInt(content?.sizeBytes ?? 0),
  }
}
