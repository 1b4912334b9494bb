import { runSubject, sessionSubject } from '@sciencediscovery/run-events'
import { delay } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { type Drivers, takeOver } from './safety-net.js'

/** A run that still waits for something, and the replica that should see to it. */
export interface OpenRunRow {
  readonly runId: string
  readonly writer: string
}

/** The views of what is not over. They may be behind: what they say is checked against the streams. */
export interface OpenRuns {
  openRuns(): Promise<readonly OpenRunRow[]>
  /** Sessions that have admitted a run and not heard of its end. */
  activeSessions(): Promise<readonly string[]>
}

const everyMs = 60_000
// The views catch up in this time when their reader was the replica that is gone.
const lookAgainAfterMs = [0, 1_000, 3_000, 10_000]

/**
 * For what was acknowledged before its writer died no message comes again: at start, when a replica goes
 * away, and every minute, runs whose writer is gone are taken over from the view, and sessions are told to
 * start what they admitted and to end what has ended. A failing view only delays this.
 */
export function startSweep(ctx: Context, drivers: Drivers, view: OpenRuns): Disposable {
  const stop = new AbortController()
  const attempt = async (): Promise<void> => {
    const report = (error: unknown): void => {
      if (stop.signal.aborted) return
      ctx.here.logger.warn({ err: error }, 'what is open could not all be looked through')
    }
    await sweepRuns(ctx, drivers, view, report).catch(report)
    await sweepSessions(ctx, drivers, view, report).catch(report)
  }
  const attempts = async (): Promise<void> => {
    for (const waitMs of lookAgainAfterMs) {
      await delay(waitMs, stop.signal).catch(() => undefined)
      if (stop.signal.aborted) return
      await attempt()
    }
  }
  drivers.presence.onGone(() => void attempts())
  void attempts()
  const timer = setInterval(() => void attempt(), everyMs)
  timer.unref()
  return {
    [Symbol.dispose]() {
      stop.abort()
      clearInterval(timer)
    },
  }
}

type Report = (error: unknown) => void

// One that cannot be seen to must not keep the others from it.
async function sweepRuns(
  ctx: Context,
  drivers: Drivers,
  view: OpenRuns,
  report: Report,
): Promise<void> {
  for (const row of await view.openRuns()) await seeToRun(ctx, drivers, row).catch(report)
}

async function seeToRun(
  ctx: Context,
  drivers: Drivers,
  { runId, writer }: OpenRunRow,
): Promise<void> {
  const isMine = writer === ctx.here.replicaId
  if (!isMine && (await drivers.presence.isAlive(writer))) return
  const folded = await ctx.runs.load(runSubject(runId))
  if (isMine) drivers.runs.drive(folded)
  else await takeOver(ctx, drivers, folded, writer)
}

async function sweepSessions(
  ctx: Context,
  drivers: Drivers,
  view: OpenRuns,
  report: Report,
): Promise<void> {
  for (const sessionId of await view.activeSessions())
    await seeToSession(ctx, drivers, sessionId).catch(report)
}

async function seeToSession(ctx: Context, drivers: Drivers, sessionId: string): Promise<void> {
  const folded = await ctx.sessions.load(sessionSubject(sessionId))
  await drivers.sessions.drive(folded)
  const { state } = folded
  if (state.status === 'unborn' || !state.active) return
  // Nobody may have told it: the end is on the run's stream, and its writer is gone.
  await drivers.sessions.endRun((await ctx.runs.load(runSubject(state.active.run.runId))).state)
}
