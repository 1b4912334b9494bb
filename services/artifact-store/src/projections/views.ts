import { type StoredCommit } from '@sciencediscovery/event-store'
import { type View } from '@sciencediscovery/projection'
import { type Transaction } from 'kysely'
import { viewTables } from '../db/migrations/index.js'
import { type ArtifactStoreTables } from '../db/schema.js'
import { applyToArtifacts } from './artifacts-view.js'
import { type PlacedEvent, type StoredLists } from './placed-event.js'
import { applyToProvenanceUses } from './provenance-uses-view.js'
import { applyToRunProvenance } from './run-provenance-view.js'
import { applyToTransfers } from './transfers-view.js'
import { applyToWorkspaceProvenance } from './workspace-provenance-view.js'

type Tx = Transaction<ArtifactStoreTables>

/** The views of this service. No table is written by two of them, so each is rebuilt alone. */
export function viewsOver(lists: StoredLists): readonly View<ArtifactStoreTables>[] {
  return [
    { ...viewTables.artifacts, noun: 'artifacts', apply: eachEvent(applyToArtifacts) },
    {
      ...viewTables.runProvenance,
      noun: 'runs',
      apply: eachEvent((tx, placed) => applyToRunProvenance(tx, placed, lists)),
    },
    {
      ...viewTables.provenanceUses,
      noun: 'runs',
      apply: eachEvent((tx, placed) => applyToProvenanceUses(tx, placed, lists)),
    },
    { ...viewTables.transfers, noun: 'transfers', apply: eachEvent(applyToTransfers) },
    {
      ...viewTables.workspaceProvenance,
      noun: 'workspaces',
      apply: eachEvent((tx, placed) => applyToWorkspaceProvenance(tx, placed, lists)),
    },
  ]
}

function eachEvent(
  apply: (tx: Tx, placed: PlacedEvent) => Promise<void>,
): (tx: Tx, stored: StoredCommit) => Promise<void> {
  return async (tx, { commit }) => {
    const [projectId = '', ownerId = ''] = commit.subject.split('.').slice(-2)
    for (const [index, event] of commit.events.entries())
      await apply(tx, { ...event, projectId, ownerId, position: commit.firstPosition + index })
  }
}
