import {
  type TransferFileCompleted,
  TransferFileCompletedSchema,
  TransferQueuedSchema,
} from '@sciencediscovery/run-events'
import { type Transaction } from 'kysely'
import { type ArtifactStoreTables } from '../db/schema.js'
import { putEffectIdOf } from '../domain/transfer/keys.js'
import { type PlacedEvent } from './placed-event.js'
import { fileIdOf, revisionIdOf, storable } from './storable.js'

type Tx = Transaction<ArtifactStoreTables>

/** View `transfers`: which an agent asked for, and which revision is a copy of which content. */
export async function applyToTransfers(tx: Tx, placed: PlacedEvent): Promise<void> {
  switch (placed.type) {
    case 'transfer.queued':
      return writeTransfer(tx, placed)
    case 'transfer.file.completed':
      return writeCopy(tx, TransferFileCompletedSchema.parse(placed).data, placed.position)
    default:
      return undefined
  }
}

async function writeTransfer(tx: Tx, placed: PlacedEvent): Promise<void> {
  const { transferId, agentId, at } = TransferQueuedSchema.parse(placed).data
  const row = {
    transfer_id: transferId,
    project_id: placed.projectId,
    agent_id: agentId,
    queued_at: at,
  }
  await tx
    .insertInto('transfers')
    .values(row)
    .onConflict((conflict) => conflict.column('transfer_id').doNothing())
    .execute()
}

async function writeCopy(
  tx: Tx,
  copy: TransferFileCompleted['data'],
  position: number,
): Promise<void> {
  const { transferId, index, sourceWorkspaceId, sourcePath, workspaceId, targetPath } = copy
  await tx
    .insertInto('transfer_copies')
    .values({
      revision_id: revisionIdOf(putEffectIdOf(transferId, index), targetPath),
      transfer_id: transferId,
      source_workspace_id: sourceWorkspaceId,
      source_file_id: fileIdOf(sourceWorkspaceId, sourcePath),
      source_path: storable(sourcePath),
      target_workspace_id: workspaceId,
      target_file_id: fileIdOf(workspaceId, targetPath),
      target_path: storable(targetPath),
      sha256: copy.sha256,
      event_position: position,
    })
    .onConflict((conflict) => conflict.column('revision_id').doNothing())
    .execute()
}
