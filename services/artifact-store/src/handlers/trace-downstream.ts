import { type Context } from '../context.js'
import { type Activity } from '../domain/provenance/activity.js'
import { type Revision } from '../domain/provenance/history.js'
import { type UsePlace } from '../projections/uses-queries.js'
import { type DownstreamStep, type Frontier, type UsedContent } from './downstream-step.js'
import { followersOf } from './follow-files.js'
import { historiesAt } from './judged-activities.js'
import { activityKey } from './provenance-activities.js'
import { type Users, usersOf } from './use-by-executions.js'

/** What came of a content, nearest first. */
export interface Downstream {
  readonly steps: readonly DownstreamStep[]
  /** True when there is more behind the last hop, or beside it than is told. */
  readonly truncated: boolean
  /** Executions that seemed to use the content and only replaced it. */
  readonly onlyPossible: readonly Activity[]
  /** Where the next page of direct uses begins; undefined on the last. */
  readonly next: UsePlace | undefined
}

const maxHops = 8
const maxFiles = 1_000
/** Direct uses are paged; of what lies behind them so many per hop are told. */
const maxUsesBehind = 500

/** Goes forwards from a revision through what is known to have used it. Possible uses are never followed. */
export async function traceDownstream(
  ctx: Context,
  { id: revisionId, workspaceId, path, sha256 }: Revision,
  page: { readonly after: UsePlace | undefined; readonly size: number },
): Promise<Downstream> {
  const steps = new Map<string, DownstreamStep>()
  const seen = new Set([revisionId])
  const first = await oneHop(ctx, [{ revisionId, workspaceId, path, sha256 }], page)
  const { onlyPossible, next } = first
  let truncated = false
  let contents = addSteps(steps, seen, first.found, 1)
  for (let hop = 2; contents.length > 0; hop += 1) {
    const { found, next: more } = await oneHop(ctx, contents, {
      after: undefined,
      size: maxUsesBehind,
    })
    const isFar = hop > maxHops || seen.size > maxFiles
    truncated ||= more !== undefined || (isFar && found.length > 0)
    if (isFar) break
    contents = addSteps(steps, seen, found, hop)
  }
  return { steps: [...steps.values()], truncated, onlyPossible, next }
}

/** What used the contents directly. What moved or edited them comes with the first page. */
async function oneHop(
  ctx: Context,
  contents: readonly UsedContent[],
  page: { readonly after: UsePlace | undefined; readonly size: number },
): Promise<Users & { readonly found: Users['steps'] }> {
  const frontier = await frontierOf(ctx, contents)
  const users = await usersOf(ctx, frontier, page)
  const followers = page.after === undefined ? await followersOf(ctx, frontier) : []
  return { ...users, found: [...users.steps, ...followers] }
}

async function frontierOf(ctx: Context, contents: readonly UsedContent[]): Promise<Frontier> {
  return {
    contents: new Map(contents.map((content) => [content.revisionId, content])),
    historyAt: await historiesAt(ctx, contents),
  }
}

/** Adds what was found; gives what of it was not seen before. An activity that is met again used one thing more. */
function addSteps(
  steps: Map<string, DownstreamStep>,
  seen: Set<string>,
  found: Users['steps'],
  hop: number,
): readonly UsedContent[] {
  const fresh: UsedContent[] = []
  for (const step of found) {
    const key = activityKey(step.activity)
    const before = steps.get(key)
    const inputs = [...(before?.inputs ?? []), ...step.inputs]
    steps.set(key, before ? { ...before, inputs } : { ...step, hop })
    for (const output of step.outputs) {
      if (seen.has(output.revisionId)) continue
      seen.add(output.revisionId)
      fresh.push(output)
    }
  }
  return fresh
}
