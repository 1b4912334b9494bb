import { runSubject } from '@sciencediscovery/run-events'
import { type Context } from '../context.js'
import { type Drivers, takeOver } from './safety-net.js'

/** A run that still waits for something, and the replica that should see to it. */
export interface OpenRunRow {
  readonly runId: string
  readonly writer: string
}

/** The view of runs that are not over. May be behind: what it says is checked against the stream. */
export interface OpenRuns {
  openRuns(): Promise<readonly OpenRunRow[]>
}

const everyMs = 60_000

/**
 * For what was acknowledged before its writer died no message comes again: at start, when a replica goes
 * away, and every minute, runs whose writer is gone are taken over from the view. A failing view only
 * delays this; it is looked at again.
 */
export function startSweep(ctx: Context, drivers: Drivers, view: OpenRuns): Disposable {
  const sweep = async (): Promise<void> => {
    for (const { runId, writer } of await view.openRuns()) {
      if (await drivers.presence.isAlive(writer)) {
        if (writer === ctx.here.replicaId)
          drivers.runs.drive(await ctx.runs.load(runSubject(runId)))
        continue
      }
      await takeOver(ctx, drivers, await ctx.runs.load(runSubject(runId)), writer)
    }
  }
  const attempt = (): void => {
    sweep().catch((error: unknown) => {
      ctx.here.logger.warn(
        { err: error },
        'open runs could not be looked through; trying again in a minute',
      )
    })
  }
  drivers.presence.onGone(attempt)
  attempt()
  const timer = setInterval(attempt, everyMs)
  timer.unref()
  return {
    [Symbol.dispose]() {
      clearInterval(timer)
    },
  }
}
