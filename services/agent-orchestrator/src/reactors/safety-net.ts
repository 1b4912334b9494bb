import { type Delivery, commandIdOf, type Folded } from '@sciencediscovery/event-store'
import { openRequests } from '../domain/run/open-requests.js'
import { type RunState, isOpen } from '../domain/run/state.js'
import { type Context, nowOf } from '../context.js'
import { giveUpCommand, giveUpId } from './give-up.js'
import { type Presence } from './presence.js'
import { type RunDriver } from './run-driver.js'
import { type SessionDriver } from './session-driver.js'
import { isPassing } from './until-answered.js'

/** What the safety net works with. */
export interface Drivers {
  readonly runs: RunDriver
  readonly sessions: SessionDriver
  readonly presence: Presence
}

/** Deliveries of a commit that cannot be taken over, until it is given up: about 6 s. */
const maxAttempts = 6

/**
 * Who acts when the writer does not: every commit that asks for something is delivered here, and a commit
 * whose writer is gone is taken over under this replica's name. Messages are never parked (who acts, ch. 4).
 */
export async function startSafetyNet(
  ctx: Context,
  drivers: Drivers,
): Promise<readonly AsyncDisposable[]> {
  const runs = await ctx.store.react(
    { name: 'agent-orchestrator-runs', noun: 'runs', slots: 64, maxAttempts },
    (delivery) => seeToRun(ctx, drivers, delivery),
  )
  const sessions = await ctx.store.react(
    { name: 'agent-orchestrator-sessions', noun: 'sessions', slots: 64 },
    async (delivery) => {
      if (
        !(await drivers.presence.isAlive(delivery.commit.writer)) ||
        delivery.commit.writer === ctx.here.replicaId
      ) {
        await drivers.sessions.drive(
          await ctx.sessions.load(delivery.commit.subject, delivery.sequence),
        )
      }
    },
  )
  return [runs, sessions]
}

const asking = new Set([
  'model.turn.requested',
  'tool.call.requested',
  'tool.call.released',
  'run.cancel.requested',
])
const ending = new Set(['run.completed', 'run.failed', 'run.cancelled'])

async function seeToRun(ctx: Context, drivers: Drivers, delivery: Delivery): Promise<void> {
  const { commit, sequence } = delivery
  if (!commit.events.some(({ type }) => asking.has(type) || ending.has(type))) return
  const mine = commit.writer === ctx.here.replicaId
  if (!mine && (await drivers.presence.isAlive(commit.writer))) return
  const folded = await ctx.runs.load(commit.subject, sequence)
  if (mine) {
    drivers.runs.drive(folded)
    return
  }
  try {
    await takeOver(ctx, drivers, folded, commit.writer)
  } catch (error) {
    // A store that is away is no poison, however often it was tried.
    if (!delivery.exhausted || isPassing(error)) throw error
    await giveUp(ctx, drivers, folded)
  }
}

/** Appends the next attempt of what a gone replica had asked for, which fences it, and acts. */
export async function takeOver(
  ctx: Context,
  drivers: Drivers,
  folded: Folded<RunState>,
  gone: string,
): Promise<void> {
  const { state } = folded
  if (!('facts' in state)) return
  if (!isOpen(state)) {
    await drivers.sessions.endRun(state)
    return
  }
  const theirs = openRequests(state).filter((request) => request.writer === gone)
  if (theirs.length === 0 && state.status !== 'cancelling') return
  const { runId } = state.facts.header
  const names = theirs.map((request) => `${request.requestId}@${request.turn}.${request.attempt}`)
  await drivers.runs.handle(
    runId,
    { type: 'TakeOver', writer: ctx.here.replicaId, now: nowOf(ctx) },
    { commandId: commandIdOf(runId, 'take-over', gone, names), causationId: gone },
  )
}

/** Poison: past the delivery limit no effect is run, each open request gets its one outcome. */
async function giveUp(ctx: Context, drivers: Drivers, { state }: Folded<RunState>): Promise<void> {
  if (!isOpen(state)) return
  const { runId } = state.facts.header
  for (const request of openRequests(state)) {
    await drivers.runs.handle(runId, giveUpCommand(ctx, request), {
      commandId: commandIdOf(runId, ...giveUpId(request)),
      causationId: request.requestId,
    })
  }
}
