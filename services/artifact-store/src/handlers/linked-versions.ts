import { type Context } from '../context.js'
import { revisionWith } from '../domain/provenance/history.js'
import { type LinkedVersion, versionsFromFiles } from '../projections/artifact-queries.js'
import { type Subject } from './find-subject.js'
import { historiesAt } from './judged-activities.js'

/** A declared version with the revision that it holds; empty when nothing recorded its content. */
export interface VersionOfRevision {
  readonly version: LinkedVersion
  readonly revisionId: string
}

/** The versions that were declared from the file, under whatever path it had then. */
export async function linkedVersions(
  ctx: Context,
  { place, revisions }: Subject,
): Promise<readonly VersionOfRevision[]> {
  const paths = new Set([place.path, ...revisions.map(({ path }) => path)])
  const places = [...paths].map((path) => ({ workspaceId: place.workspaceId, path }))
  const versions = await versionsFromFiles(ctx.db, places)
  if (versions.length === 0) return []
  const historyAt = await historiesAt(ctx, places)
  const own = new Set(revisions.map(({ id }) => id))
  return versions.flatMap((version) => {
    const at = { workspaceId: version.workspace_id, path: version.source_path }
    const revisionId = revisionWith(historyAt(at), version.sha256, version.declared_at)?.id ?? ''
    // What another file had at an earlier path of this one is not its own.
    const isOthers = at.path !== place.path && !own.has(revisionId)
    return isOthers ? [] : [{ version, revisionId }]
  })
}
