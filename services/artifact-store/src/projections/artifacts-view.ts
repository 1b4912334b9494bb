import { type Transaction } from 'kysely'
import { ArtifactEventSchema, type ArtifactVersionDeclared } from '../domain/artifact/events.js'
import { type ArtifactStoreTables } from '../db/schema.js'
import { type PlacedEvent } from './placed-event.js'
import { fileIdOf, storable, storableKey } from './storable.js'

/** View `artifacts`: names, their versions, the newest one. */
export async function applyToArtifacts(
  tx: Transaction<ArtifactStoreTables>,
  placed: PlacedEvent,
): Promise<void> {
  const event = ArtifactEventSchema.parse(placed)
  await upsertArtifact(tx, event.data)
  await insertVersion(tx, event.data, placed.position)
}

async function upsertArtifact(
  tx: Transaction<ArtifactStoreTables>,
  version: ArtifactVersionDeclared['data'],
): Promise<void> {
  await tx
    .insertInto('artifacts')
    .values({
      artifact_id: version.artifactId,
      project_id: version.projectId,
      name: version.name,
      kind: version.kind,
      origin: version.origin,
      created_session_id: version.sessionId,
      created_session_title: storable(version.sessionTitle),
      newest_version: version.version,
    })
    .onConflict((conflict) =>
      conflict
        .column('artifact_id')
        .doUpdateSet({ kind: version.kind, newest_version: version.version }),
    )
    .execute()
}

async function insertVersion(
  tx: Transaction<ArtifactStoreTables>,
  version: ArtifactVersionDeclared['data'],
  position: number,
): Promise<void> {
  await tx
    .insertInto('artifact_versions')
    .values({
      version_id: version.versionId,
      artifact_id: version.artifactId,
      version: version.version,
      sha256: version.sha256,
      size_bytes: version.sizeBytes,
      media_type: storable(version.mediaType),
      source_path: storable(version.sourcePath),
      source_file_id: fileIdOf(version.workspaceId, version.sourcePath),
      origin: version.origin,
      description: storable(version.description),
      workspace_id: version.workspaceId,
      session_id: version.sessionId,
      run_id: version.runId,
      call_id: storableKey(version.callId),
      agent_id: version.agentId,
      declared_at: version.at,
      position,
    })
    .onConflict((conflict) => conflict.column('version_id').doNothing())
    .execute()
}
