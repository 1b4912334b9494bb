import { type Context } from '../context.js'
import { type Activity } from '../domain/provenance/activity.js'
import { type Revision } from '../domain/provenance/history.js'
import { isFollowed, type JudgedInput } from '../domain/provenance/judge-input.js'
import { activitiesOf, activityKey } from './provenance-activities.js'
import { judgedActivities } from './judged-activities.js'

/** An activity with its inputs judged. */
export interface UpstreamStep {
  readonly activity: Activity
  readonly inputs: readonly JudgedInput[]
  /** The revisions that led to it. */
  readonly outputs: readonly Revision[]
}

/** The activities that lead to a revision, nearest first. */
export interface Upstream {
  readonly steps: readonly UpstreamStep[]
  /** True when there is more behind the last hop. */
  readonly truncated: boolean
}

/** How far a chain is told when nobody says (contract 3.10). */
export const defaultHops = 8
const maxSteps = 200

/** Goes backwards from a revision through what each activity is known to have used. */
export async function traceUpstream(
  ctx: Context,
  start: Revision,
  maxHops = defaultHops,
): Promise<Upstream> {
  const outputs = new Map<string, Map<string, Revision>>()
  const steps: Omit<UpstreamStep, 'outputs'>[] = []
  let truncated = false
  let frontier: readonly Revision[] = [start]
  for (let hop = 0; frontier.length > 0; hop += 1) {
    const made = await activitiesOf(ctx, frontier)
    const told = new Set(outputs.keys())
    const untold = firstOfEach(made, told)
    const full = hop === maxHops || steps.length + untold.length > maxSteps
    truncated = full && untold.length > 0
    noteOutputs(outputs, truncated ? made.filter(isAmong(told)) : made)
    if (truncated) break
    const found = await judgedActivities(ctx, untold)
    steps.push(...found)
    frontier = found.flatMap(({ inputs }) =>
      inputs.filter(isFollowed).flatMap(({ revision }) => revision ?? []),
    )
  }
  return { steps: steps.map((step) => withOutputs(step, outputs)), truncated }
}

interface Making {
  readonly activity: Activity
  readonly revision: Revision
}

function isAmong(told: ReadonlySet<string>): (making: Making) => boolean {
  return ({ activity }) => told.has(activityKey(activity))
}

function firstOfEach(made: readonly Making[], told: ReadonlySet<string>): readonly Activity[] {
  const first = new Map<string, Activity>()
  for (const { activity } of made) {
    const key = activityKey(activity)
    if (!told.has(key) && !first.has(key)) first.set(key, activity)
  }
  return [...first.values()]
}

function noteOutputs(outputs: Map<string, Map<string, Revision>>, made: readonly Making[]): void {
  for (const { activity, revision } of made) {
    const key = activityKey(activity)
    const of = outputs.get(key) ?? new Map<string, Revision>()
    outputs.set(key, of.set(revision.id, revision))
  }
}

function withOutputs(
  step: Omit<UpstreamStep, 'outputs'>,
  outputs: ReadonlyMap<string, ReadonlyMap<string, Revision>>,
): UpstreamStep {
  return { ...step, outputs: [...(outputs.get(activityKey(step.activity))?.values() ?? [])] }
}
