import { type ExecutionInput, workspaceIdOf } from '@sciencediscovery/run-events'
import { type Context } from '../context.js'
import { type Activity } from '../domain/provenance/activity.js'
import { type FileHistory, historyOf, type Revision } from '../domain/provenance/history.js'
import { isFollowed, type JudgedInput, judgeInput } from '../domain/provenance/judge-input.js'
import { agentOfWorkspace, poolOfWorkspace } from '../domain/provenance/places.js'
import { changesOfFiles, type FilePlace } from '../projections/provenance-queries.js'
import { fileIdOf } from '../projections/storable.js'
import { activitiesOf, activityKey } from './provenance-activities.js'

/** An activity with its inputs judged. */
export interface UpstreamStep {
  readonly activity: Activity
  readonly inputs: readonly JudgedInput[]
}

/** The activities that lead to a revision, nearest first. */
export interface Upstream {
  readonly steps: readonly UpstreamStep[]
  /** True when there is more behind the last hop. */
  readonly truncated: boolean
}

const maxHops = 8
const maxSteps = 200

/** Goes backwards from a revision through what each activity is known to have used. */
export async function traceUpstream(ctx: Context, start: Revision): Promise<Upstream> {
  const told = new Set<string>()
  const steps: UpstreamStep[] = []
  let frontier: readonly Revision[] = [start]
  for (let hop = 0; ; hop += 1) {
    const untold = firstOfEach(await activitiesOf(ctx, frontier), told)
    if (untold.length === 0) return { steps, truncated: false }
    if (hop === maxHops || steps.length + untold.length > maxSteps)
      return { steps, truncated: true }
    for (const activity of untold) told.add(activityKey(activity))
    const found = await judged(ctx, untold)
    steps.push(...found)
    frontier = found.flatMap(({ inputs }) =>
      inputs.filter(isFollowed).flatMap(({ revision }) => revision ?? []),
    )
  }
}

function firstOfEach(
  activities: readonly Activity[],
  told: ReadonlySet<string>,
): readonly Activity[] {
  const first = new Map<string, Activity>()
  for (const activity of activities) {
    const key = activityKey(activity)
    if (!told.has(key) && !first.has(key)) first.set(key, activity)
  }
  return [...first.values()]
}

async function judged(
  ctx: Context,
  activities: readonly Activity[],
): Promise<readonly UpstreamStep[]> {
  const places = activities.flatMap((activity) =>
    activity.inputs.map((input) => placeOf(activity, input)),
  )
  const changes = await changesOfFiles(ctx.db, places)
  const histories = new Map<string, FileHistory>()
  const historyAt = ({ workspaceId, path }: FilePlace): FileHistory => {
    const fileId = fileIdOf(workspaceId, path)
    const known = histories.get(fileId) ?? historyOf(changes.get(fileId) ?? [])
    histories.set(fileId, known)
    return known
  }
  return activities.map((activity) => ({
    activity,
    inputs: activity.inputs.map((input) =>
      judgeInput(activity, input, historyAt(placeOf(activity, input))),
    ),
  }))
}

/** The same agent's workspace on the pool that held the input. */
function placeOf({ workspaceId }: Activity, { runnerId, path }: ExecutionInput): FilePlace {
  const elsewhere = runnerId !== '' && runnerId !== poolOfWorkspace(workspaceId)
  return {
    workspaceId: elsewhere ? workspaceIdOf(agentOfWorkspace(workspaceId), runnerId) : workspaceId,
    path,
  }
}
