import { checkpointMigration, type Migration } from '@sciencediscovery/db'
import { viewMigrations } from '@sciencediscovery/projection'
import { createArtifactTables } from './20261130210000-artifact-tables.js'
import { createRunProvenanceTables } from './20261130210100-run-provenance-tables.js'
import { createWorkspaceProvenanceTables } from './20261130210200-workspace-provenance-tables.js'
import { createProvenanceUsesTables } from './20261201020000-provenance-uses-tables.js'
import { createTransferTables } from './20261201023000-transfer-tables.js'
import { provenanceIndexes } from './20261201020100-provenance-indexes.js'

/** The tables of each view; none is edited once it was released, a new one takes its place. */
export const viewTables = {
  artifacts: {
    name: 'artifacts',
    tables: ['artifacts', 'artifact_versions'],
    up: createArtifactTables,
  },
  runProvenance: {
    name: 'run_provenance',
    tables: [
      'provenance_runs',
      'provenance_calls',
      'provenance_executions',
      'run_file_changes',
      'version_mentions',
    ],
    up: createRunProvenanceTables,
  },
  workspaceProvenance: {
    name: 'workspace_provenance',
    tables: ['workspace_file_changes', 'workspace_order'],
    up: createWorkspaceProvenanceTables,
  },
  provenanceUses: {
    name: 'provenance_uses',
    tables: ['execution_inputs', 'file_moves', 'lost_lists', 'run_models'],
    up: createProvenanceUsesTables,
  },
  transfers: {
    name: 'transfers',
    tables: ['transfers', 'transfer_copies'],
    up: createTransferTables,
  },
} as const

/** In the order they are applied. */
export const migrations: readonly Migration[] = [
  checkpointMigration,
  ...viewMigrations(Object.values(viewTables)),
  provenanceIndexes,
]
