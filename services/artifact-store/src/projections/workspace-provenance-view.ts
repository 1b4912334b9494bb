import { WorkspaceChangedSchema } from '@sciencediscovery/run-events'
import { type Transaction } from 'kysely'
import { type ArtifactStoreTables } from '../db/schema.js'
import { writeFileChanges } from './file-changes.js'
import { type PlacedEvent, type StoredLists } from './placed-event.js'
import { storableKey } from './storable.js'

/**
 * View `workspace_provenance`: the order of all changes of a workspace, and the content of those that no run
 * records because no call made them (uploads, changes behind the platform's back).
 */
export async function applyToWorkspaceProvenance(
  tx: Transaction<ArtifactStoreTables>,
  placed: PlacedEvent,
  lists: StoredLists,
): Promise<void> {
  if (placed.type !== 'workspace.changed') return
  const { data } = WorkspaceChangedSchema.parse(placed)
  await tx
    .insertInto('workspace_order')
    .values({
      effect_id: storableKey(data.effectId),
      workspace_id: data.workspaceId,
      position: placed.position,
    })
    .onConflict((conflict) => conflict.column('effect_id').doNothing())
    .execute()
  if (data.callId !== '') return
  const source = {
    table: 'workspace_file_changes',
    projectId: placed.projectId,
    runId: '',
    eventStream: `workspaces/${placed.ownerId}`,
    eventPosition: placed.position,
  } as const
  await writeFileChanges(tx, data, source, lists)
}
