import { createLifecycle } from '@sciencediscovery/service-kit'
import { type Context } from '../context.js'
import { startBringHome } from './bring-home.js'
import { startPresence } from './presence.js'
import { RunDriver } from './run-driver.js'
import { startSafetyNet } from './safety-net.js'
import { createSessionDriver, type SessionDriver } from './session-driver.js'
import { type OpenRuns, startSweep } from './sweep.js'
import { untilAnswered } from './until-answered.js'

/** Everything that acts in this replica. */
export interface Reactors extends AsyncDisposable {
  readonly runs: RunDriver
  readonly sessions: SessionDriver
}

/** Starts the reactors; disposing stops answering pings first, so that runs move to other replicas at once. */
export async function startReactors(ctx: Context, view: OpenRuns): Promise<Reactors> {
  const lifecycle = createLifecycle()
  const closing = new AbortController()
  const sessions = createSessionDriver(ctx, () => runs)
  const runs: RunDriver = lifecycle.use(
    new RunDriver(ctx, (state) =>
      untilAnswered(() => sessions.endRun(state), closing.signal).catch((error: unknown) => {
        ctx.here.logger.error({ err: error }, 'the end of a run did not reach its session')
      }),
    ),
  )
  const presence = await startPresence(ctx)
  const drivers = { runs, sessions, presence }
  for (const member of await startSafetyNet(ctx, drivers)) lifecycle.use(member)
  for (const member of await startBringHome(ctx)) lifecycle.use(member)
  lifecycle.use(startSweep(ctx, drivers, view))
  lifecycle.use(presence)
  lifecycle.defer(() => {
    closing.abort()
  })
  return { runs, sessions, [Symbol.asyncDispose]: () => lifecycle[Symbol.asyncDispose]() }
}
