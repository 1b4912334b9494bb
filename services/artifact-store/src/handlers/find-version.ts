import { PlatformError, invalid, notFound } from '@sciencediscovery/kernel'
import { z } from 'zod'
import { type Context } from '../context.js'
import {
  type ArtifactKey,
  type ArtifactRow,
  artifactVersion,
} from '../projections/artifact-queries.js'
import { optionalName, ProjectSchema } from './parse-request.js'

/** How requests say which version they mean. */
export const VersionSchema = z.object({
  projectId: ProjectSchema,
  artifactId: z.string(),
  name: z.string(),
  version: z.number().int().nonnegative('is below 1; 0 means the newest'),
  minPosition: z.string(),
})

/** The version that is meant, by id or name; when both are given they must agree (S-05). */
export async function findVersion(
  ctx: Context,
  asked: z.output<typeof VersionSchema>,
  signal: AbortSignal,
): Promise<ArtifactRow> {
  const { projectId, artifactId, version, minPosition } = asked
  const name = optionalName(asked.name, 'name')
  if (artifactId === '' && name === undefined)
    throw invalid('name', 'and artifact_id are both missing', 'send one of them')
  await ctx.views.catchUp('artifacts', minPosition, signal)
  const key: ArtifactKey =
    artifactId === '' ? { name: name ?? '' } : { artifactId: artifactId.replaceAll('\u0000', '') }
  const found = await artifactVersion(ctx.db, projectId, key, version)
  if (!found) throw await whatIsMissing(ctx, projectId, key, version)
  if (name !== undefined && name !== found.name)
    throw invalid(
      'name',
      `is not the name of ${found.artifact_id}`,
      'leave one of name and artifact_id out',
    )
  return found
}

async function whatIsMissing(
  ctx: Context,
  projectId: string,
  key: ArtifactKey,
  version: number,
): Promise<PlatformError> {
  const label = JSON.stringify('name' in key ? key.name : key.artifactId.slice(0, 100))
  const newest = version === 0 ? undefined : await artifactVersion(ctx.db, projectId, key, 0)
  if (!newest) return notFound(`artifact ${label}`)
  return new PlatformError('not_found', `artifact ${label} has no version ${version}`, {
    field: 'version',
    remedy: `send 1 to ${newest.version}`,
  })
}
