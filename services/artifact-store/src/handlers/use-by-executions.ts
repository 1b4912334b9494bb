import { type Context } from '../context.js'
import { type ExecutionInputsTable } from '../db/schema.js'
import { type Activity, ofExecution } from '../domain/provenance/activity.js'
import { isFollowed, type JudgedInput, judgeInput } from '../domain/provenance/judge-input.js'
import { poolOfWorkspace } from '../domain/provenance/places.js'
import { callKeyOf, callsByKey, executionsById } from '../projections/provenance-queries.js'
import { fileIdOf } from '../projections/storable.js'
import { outputsOf, usesOf, type UsePlace } from '../projections/uses-queries.js'
import { toFact } from './provenance-activities.js'
import { type DownstreamStep, type Frontier, type UsedContent } from './downstream-step.js'

/** What executions did with the contents of a hop. */
export interface Users {
  readonly steps: readonly Omit<DownstreamStep, 'hop'>[]
  readonly onlyPossible: readonly Activity[]
  readonly next: UsePlace | undefined
}

const outputsPerExecution = 200

/** The executions that took one of the contents, and what they made. */
export async function usersOf(
  ctx: Context,
  frontier: Frontier,
  { after, size }: { readonly after: UsePlace | undefined; readonly size: number },
): Promise<Users> {
  const contents = [...frontier.contents.values()]
  const found = await usesOf(ctx.db, contents, { after, limit: size + 1 })
  const uses = found.slice(0, size)
  const activities = await executionActivities(
    ctx,
    uses.map((use) => use.execution_id),
  )
  const taken = inputsTaken(frontier, uses, activities)
  const users = [...taken].flatMap(([executionId, inputs]) => {
    const activity = activities.get(executionId)
    const known = inputs.filter((input) => isFollowed(input))
    return activity ? [{ activity, inputs: known }] : []
  })
  const steps = users.filter(({ inputs }) => inputs.length > 0)
  const last = found.length > size ? uses.at(-1) : undefined
  return {
    steps: await withOutputs(ctx, steps),
    onlyPossible: users.filter(({ inputs }) => inputs.length === 0).map((user) => user.activity),
    next: last && { startedAt: last.started_at, effectId: last.effect_id },
  }
}

/** Executions as activities, by id. */
export async function executionActivities(
  ctx: Context,
  executionIds: readonly string[],
): Promise<ReadonlyMap<string, Activity>> {
  const rows = await executionsById(ctx.db, [...new Set(executionIds)])
  const facts = [...rows.values()].map(toFact)
  const calls = await callsByKey(ctx.db, facts)
  return new Map(
    facts.map((fact) => [
      fact.executionId,
      ofExecution(fact, calls.get(callKeyOf(fact.runId, fact.callId))),
    ]),
  )
}

/** The inputs of each execution that are one of the contents: of equal ones at one path, that of the time counts. */
function inputsTaken(
  { contents, historyAt }: Frontier,
  uses: readonly ExecutionInputsTable[],
  activities: ReadonlyMap<string, Activity>,
): ReadonlyMap<string, readonly JudgedInput[]> {
  const places = new Map(
    [...contents.values()].map((place) => [fileIdOf(place.workspaceId, place.path), place]),
  )
  const taken = new Map<string, JudgedInput[]>()
  for (const use of uses) {
    const place = places.get(use.file_id)
    const activity = activities.get(use.execution_id)
    if (!place || !activity) continue
    const evidence = use.evidence === 'declared' ? 'declared' : 'observed'
    const runnerId = poolOfWorkspace(place.workspaceId)
    const input = { path: place.path, sha256: use.sha256, evidence, runnerId } as const
    const judged = judgeInput(activity, input, historyAt(place))
    if (!contents.has(judged.revision?.id ?? '')) continue
    taken.set(use.execution_id, [...(taken.get(use.execution_id) ?? []), judged])
  }
  return taken
}

async function withOutputs(
  ctx: Context,
  users: readonly Pick<DownstreamStep, 'activity' | 'inputs'>[],
): Promise<readonly Omit<DownstreamStep, 'hop'>[]> {
  const ids = users.flatMap(({ activity }) => activity.execution?.executionId ?? [])
  const rows = await outputsOf(ctx.db, ids, outputsPerExecution)
  const outputs = new Map<string, UsedContent[]>()
  const totals = new Map<string, number>()
  for (const row of rows) {
    const content = { ...{ workspaceId: row.workspace_id, path: row.path }, ...contentOf(row) }
    outputs.set(row.execution_id, [...(outputs.get(row.execution_id) ?? []), content])
    totals.set(row.execution_id, row.total)
  }
  return users.map((user) => {
    const id = user.activity.execution?.executionId ?? ''
    const made = outputs.get(id) ?? []
    return { ...user, outputs: made, outputsOmitted: (totals.get(id) ?? 0) - made.length }
  })
}

function contentOf(row: { readonly sha256: string | null; readonly revision_id: string }) {
  return { sha256: row.sha256 ?? '', revisionId: row.revision_id }
}
