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
    try {
      await sweepRuns(ctx, drivers, view)
      await sweepSessions(ctx, drivers, view)
    } catch (error) {
      if (!stop.signal.aborted)
        ctx.here.logger.warn({ err: error }, 'open runs could not be looked through')
    }
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

async function sweepRuns(ctx: Context, drivers: Drivers, view: OpenRuns): Promise<void> {
  for (const { runId, writer } of await view.openRuns()) {
    const isMine = writer === ctx.here.replicaId
    if (!isMine && (await drivers.presence.isAlive(writer))) continue
    const folded = await ctx.runs.load(runSubject(runId))
    if (isMine) drivers.runs.drive(folded)
    else await takeOver(ctx, drivers, folded, writer)
  }
}

async function sweepSessions(ctx: Context, drivers: Drivers, view: OpenRuns): Promise<void> {
  for (const sessionId of await view.activeSessions()) {
    const folded = await ctx.sessions.load(sessionSubject(sessionId))
    await drivers.sessions.drive(folded)
    const { state } = folded
    if (state.status === 'unborn' || !state.active) continue
    // Nobody may have told it: the end is on the run's stream, and its writer is gone.
    await drivers.sessions.endRun((await ctx.runs.load(runSubject(state.active.run.runId))).state)
  }
}
