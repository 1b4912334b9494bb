import { type Context } from '../context.js'
import { type Revision } from '../domain/provenance/history.js'
import { isFollowed } from '../domain/provenance/judge-input.js'
import { movesFrom } from '../projections/uses-queries.js'
import { historiesAt, judgedActivities } from './judged-activities.js'
import { activitiesOf } from './provenance-activities.js'
import { type DownstreamStep, type Frontier } from './downstream-step.js'

/** What came of the contents without an execution reading them: they were moved, or edited where they were. */
export async function followersOf(
  ctx: Context,
  frontier: Frontier,
): Promise<readonly Omit<DownstreamStep, 'hop'>[]> {
  const made = await activitiesOf(ctx, [...editsOf(frontier), ...(await movesOf(ctx, frontier))])
  const judged = await judgedActivities(
    ctx,
    made.map(({ activity }) => activity),
  )
  return judged.flatMap(({ activity, inputs }, index) => {
    const revision = made[index]?.revision
    const taken = inputs.filter(
      (input) => isFollowed(input) && frontier.contents.has(input.revision?.id ?? ''),
    )
    if (!revision || taken.length === 0) return []
    const { id: revisionId, workspaceId, path, sha256 } = revision
    const outputs = [{ revisionId, workspaceId, path, sha256 }]
    return [{ activity, inputs: taken, outputs, outputsOmitted: 0 }]
  })
}

/** What a call, not an execution, made of a content at its path; whether it derives from it is judged after. */
function editsOf({ contents, historyAt }: Frontier): readonly Revision[] {
  return [...contents.values()].flatMap((content) =>
    historyAt(content).revisions.filter(
      ({ parentRevisionId, executionId, callId }) =>
        parentRevisionId === content.revisionId && executionId === '' && callId !== '',
    ),
  )
}

async function movesOf(ctx: Context, { contents, historyAt }: Frontier): Promise<Revision[]> {
  const places = [...contents.values()]
  const moves = (await movesFrom(ctx.db, places)).filter((move) => {
    const from = { workspaceId: move.workspace_id, path: move.from_path }
    return contents.has(historyAt(from).movedBy.get(move.effect_id) ?? '')
  })
  const targets = moves.map((move) => ({
    effectId: move.effect_id,
    place: { workspaceId: move.workspace_id, path: move.to_path },
  }))
  const targetAt = await historiesAt(
    ctx,
    targets.map(({ place }) => place),
  )
  return targets.flatMap(
    ({ effectId, place }) =>
      targetAt(place).revisions.find((revision) => revision.effectId === effectId) ?? [],
  )
}
