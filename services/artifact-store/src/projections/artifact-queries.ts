import { type Kysely, type SelectQueryBuilder } from 'kysely'
import {
  type ArtifactStoreTables,
  type ArtifactVersionsTable,
  type ArtifactsTable,
} from '../db/schema.js'
import { fileIdOf } from './storable.js'

type Db = Kysely<ArtifactStoreTables>

/** An artifact with one of its versions. */
export type ArtifactRow = ArtifactsTable &
  Omit<ArtifactVersionsTable, 'origin' | 'source_file_id'> & { readonly version_origin: string }

/** By name, from the one after `afterName` on, each with its newest version. */
export async function artifactsByName(
  db: Db,
  projectId: string,
  afterName: string | undefined,
  limit: number,
): Promise<readonly ArtifactRow[]> {
  return withVersions(db)
    .where('artifacts.project_id', '=', projectId)
    .whereRef('artifact_versions.version', '=', 'artifacts.newest_version')
    .$if(afterName !== undefined, (query) => query.where('artifacts.name', '>', afterName ?? ''))
    .orderBy('artifacts.name')
    .limit(limit)
    .execute()
}

/** Which artifact is meant: by id or by name. */
export type ArtifactKey = { readonly artifactId: string } | { readonly name: string }

/** One version of an artifact of the project, the newest one for 0; undefined when there is none. */
export async function artifactVersion(
  db: Db,
  projectId: string,
  key: ArtifactKey,
  version: number,
): Promise<ArtifactRow | undefined> {
  const query = withVersions(db).where('artifacts.project_id', '=', projectId)
  const named =
    'name' in key
      ? query.where('artifacts.name', '=', key.name)
      : query.where('artifacts.artifact_id', '=', key.artifactId)
  const versioned =
    version === 0
      ? named.whereRef('artifact_versions.version', '=', 'artifacts.newest_version')
      : named.where('artifact_versions.version', '=', version)
  return versioned.executeTakeFirst()
}

/** A declared version with where its run states it. */
export type LinkedVersion = ArtifactRow & {
  readonly event_stream: string | null
  readonly event_position: number | null
}

/** The versions that were declared from paths of workspaces, oldest first. */
export async function versionsFromFiles(
  db: Db,
  places: readonly { readonly workspaceId: string; readonly path: string }[],
): Promise<readonly LinkedVersion[]> {
  const fileIds = [...new Set(places.map(({ workspaceId, path }) => fileIdOf(workspaceId, path)))]
  if (fileIds.length === 0) return []
  return withVersions(db)
    .leftJoin('version_mentions', 'version_mentions.version_id', 'artifact_versions.version_id')
    .select(['version_mentions.event_stream', 'version_mentions.event_position'])
    .where('artifact_versions.source_file_id', 'in', fileIds)
    .orderBy('artifact_versions.declared_at')
    .orderBy('artifact_versions.version')
    .execute()
}

function withVersions(
  db: Db,
): SelectQueryBuilder<ArtifactStoreTables, 'artifacts' | 'artifact_versions', ArtifactRow> {
  return db
    .selectFrom('artifacts')
    .innerJoin('artifact_versions', 'artifact_versions.artifact_id', 'artifacts.artifact_id')
    .select([
      'artifacts.artifact_id',
      'artifacts.project_id',
      'artifacts.name',
      'artifacts.kind',
      'artifacts.origin',
      'artifacts.created_session_id',
      'artifacts.created_session_title',
      'artifacts.newest_version',
    ])
    .select([
      'artifact_versions.version_id',
      'artifact_versions.version',
      'artifact_versions.sha256',
      'artifact_versions.size_bytes',
      'artifact_versions.media_type',
      'artifact_versions.source_path',
      'artifact_versions.origin as version_origin',
      'artifact_versions.description',
      'artifact_versions.workspace_id',
      'artifact_versions.session_id',
      'artifact_versions.run_id',
      'artifact_versions.call_id',
      'artifact_versions.agent_id',
      'artifact_versions.declared_at',
      'artifact_versions.position',
    ])
}
