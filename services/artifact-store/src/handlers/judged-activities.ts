import { type Context } from '../context.js'
import { type Activity } from '../domain/provenance/activity.js'
import { type FileHistory, historyOf } from '../domain/provenance/history.js'
import { type JudgedInput, judgeInput } from '../domain/provenance/judge-input.js'
import { placeOfInput } from '../domain/provenance/places.js'
import { changesOfFiles, type FilePlace } from '../projections/provenance-queries.js'
import { fileIdOf } from '../projections/storable.js'

/** Each activity with what its inputs really are, as the histories of those files tell. */
export async function judgedActivities(
  ctx: Context,
  activities: readonly Activity[],
): Promise<readonly { readonly activity: Activity; readonly inputs: readonly JudgedInput[] }[]> {
  const places = activities.flatMap(({ workspaceId, inputs }) =>
    inputs.map((input) => placeOfInput(workspaceId, input)),
  )
  const historyAt = await historiesAt(ctx, places)
  return activities.map((activity) => ({
    activity,
    inputs: activity.inputs.map((input) =>
      judgeInput(activity, input, historyAt(placeOfInput(activity.workspaceId, input))),
    ),
  }))
}

/** The histories of many places at once; each is put together when it is first asked for. */
export async function historiesAt(
  ctx: Context,
  places: readonly FilePlace[],
): Promise<(place: FilePlace) => FileHistory> {
  const changes = await changesOfFiles(ctx.db, places)
  const histories = new Map<string, FileHistory>()
  return ({ workspaceId, path }) => {
    const fileId = fileIdOf(workspaceId, path)
    const known = histories.get(fileId) ?? historyOf(changes.get(fileId) ?? [])
    histories.set(fileId, known)
    return known
  }
}
