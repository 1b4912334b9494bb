import { commandIdOf } from '@sciencediscovery/event-store'
import { PlatformError, lookUp } from '@sciencediscovery/kernel'
import { EffectSchema, type Effect, runSubject } from '@sciencediscovery/run-events'
import { delay } from '@sciencediscovery/service-kit'
import { openRequests } from '../domain/run/open-requests.js'
import { type RunState } from '../domain/run/state.js'
import { type Context } from '../context.js'

/**
 * Brings facts home that came after their call was answered: a background execution that ended is recorded
 * on its run, in whatever state the run is (unique by effect id).
 */
export async function startBringHome(ctx: Context): Promise<readonly AsyncDisposable[]> {
  return [
    await bringHomeFrom(ctx, { name: 'agent-orchestrator-effects', noun: 'workspaces' }),
    await bringHomeFrom(ctx, { name: 'agent-orchestrator-transfers', noun: 'transfers' }),
  ]
}

function bringHomeFrom(
  ctx: Context,
  owner: { readonly name: string; readonly noun: string },
): Promise<AsyncDisposable> {
  return ctx.store.react({ ...owner, slots: 64 }, async ({ commit }, signal) => {
    const effects = commit.events.flatMap((event): Effect[] => {
      const parsed = EffectSchema.safeParse(event)
      return parsed.success ? [parsed.data] : []
    })
    for (const [runId, ofRun] of byRun(effects))
      await bringHome(ctx, { runId, effects: ofRun, cause: commit.commitId }, signal)
  })
}

function byRun(effects: readonly Effect[]): ReadonlyMap<string, readonly Effect[]> {
  const runs = new Map<string, Effect[]>()
  for (const effect of effects) {
    const { runId } = effect.data
    // A fact without a run (an upload, a change nobody recorded) stays on its owner's stream.
    if (runId === undefined || runId === '') continue
    runs.set(runId, [...(runs.get(runId) ?? []), effect])
  }
  return runs
}

interface Parcel {
  readonly runId: string
  readonly effects: readonly Effect[]
  readonly cause: string
}

const lookEveryMs = 250
const looks = 20

// While the call is open its own answer brings the effects, in one commit with the result; that is waited for.
async function bringHome(ctx: Context, parcel: Parcel, signal: AbortSignal): Promise<void> {
  const subject = runSubject(parcel.runId)
  for (let look = 0; look < looks; look += 1) {
    const { state } = await ctx.runs.load(subject)
    if (
      !('facts' in state) ||
      parcel.effects.every(({ data }) => lookUp(state.facts.effectIds, data.effectId))
    )
      return
    if (!isCallOpen(state, parcel.effects)) {
      const command = { type: 'RecordEffects' as const, effects: parcel.effects }
      const commandId = commandIdOf(parcel.cause, 'bring-home', parcel.runId)
      await ctx.runs.handle(subject, command, {
        commandId,
        causationId: parcel.cause,
        correlationId: parcel.runId,
      })
      return
    }
    await delay(lookEveryMs, signal)
  }
  throw new PlatformError('unavailable', `the call of ${parcel.runId} is still open`)
}

function isCallOpen(state: RunState, effects: readonly Effect[]): boolean {
  const callIds = new Set(effects.map(({ data }) => data.callId))
  return openRequests(state).some(
    (request) => request.kind === 'tool' && callIds.has(request.call.asked.callId),
  )
}
