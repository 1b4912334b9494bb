import { type Context } from '../context.js'
import { type Activity } from '../domain/provenance/activity.js'
import { possibleUsesOf } from '../projections/uses-queries.js'
import { type Subject } from './find-subject.js'
import { executionActivities } from './use-by-executions.js'

/** Executions that could have read a content: listed apart, never followed. */
export interface PossibleUses {
  readonly activities: readonly Activity[]
  readonly omitted: number
}

const mostPossible = 50

/** Those of its workspace that started while it was there; told with the first page only. */
export async function possibleUses(
  ctx: Context,
  { revision, history }: Pick<Subject, 'revision' | 'history'>,
  isFirstPage: boolean,
): Promise<PossibleUses> {
  if (!revision || !isFirstPage) return { activities: [], omitted: 0 }
  const { workspaceId, path, sha256, at: from } = revision
  const presence = { workspaceId, path, sha256, from, until: history.endedAt.get(revision.id) }
  const rows = await possibleUsesOf(ctx.db, presence, mostPossible)
  const ids = rows.map(({ executionId }) => executionId)
  const found = await executionActivities(ctx, ids)
  const activities = ids.flatMap((id) => found.get(id) ?? [])
  return { activities, omitted: (rows[0]?.total ?? 0) - activities.length }
}
