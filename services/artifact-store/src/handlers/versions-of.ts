import { type Context } from '../context.js'
import { type Revision, revisionWith } from '../domain/provenance/history.js'
import { versionsFromFiles } from '../projections/artifact-queries.js'
import { type UsedContent } from './downstream-step.js'
import { historiesAt } from './judged-activities.js'
import { type VersionOfRevision } from './linked-versions.js'
import { type Downstream } from './trace-downstream.js'

/** The artifact versions that hold the content itself or what came of it. */
export async function versionsOf(
  ctx: Context,
  start: Revision | undefined,
  { steps }: Pick<Downstream, 'steps'>,
): Promise<readonly VersionOfRevision[]> {
  if (!start) return []
  const itself = { ...start, revisionId: start.id }
  const contents: readonly UsedContent[] = [itself, ...steps.flatMap(({ outputs }) => outputs)]
  const revisions = new Set(contents.map(({ revisionId }) => revisionId))
  const digests = new Set(contents.map(({ sha256 }) => sha256))
  const versions = (await versionsFromFiles(ctx.db, contents)).filter(({ sha256 }) =>
    digests.has(sha256),
  )
  const placeOf = (version: (typeof versions)[number]) => ({
    workspaceId: version.workspace_id,
    path: version.source_path,
  })
  const historyAt = await historiesAt(ctx, versions.map(placeOf))
  return versions.flatMap((version) => {
    const history = historyAt(placeOf(version))
    const revisionId = revisionWith(history, version.sha256, version.declared_at)?.id ?? ''
    return revisions.has(revisionId) ? [{ version, revisionId }] : []
  })
}
