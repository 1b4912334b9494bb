import { type Constellation } from '../harness/constellation.js'
import { type RunOrder, type StartedRun, startRun } from '../harness/run-client.js'
import { type SeenEvent } from '../harness/run-watcher.js'
import { type Kill } from './kill-plan.js'
import { type Roles, rolesOf } from './roles.js'

/** A run whose worker was killed in the moment that a watcher saw an event. */
export interface CutRun extends StartedRun, AsyncDisposable {
  /** The process that was killed, and when; resolves once it is gone. */
  readonly cut: Promise<{ readonly name: string; readonly atMs: number }>
}

/** Starts the run and kills as soon as the event is seen, before anything else is done. */
export async function startAndKill(
  stack: Constellation,
  order: RunOrder,
  kill: Kill,
): Promise<CutRun> {
  const state: { roles?: Roles; seen: SeenEvent[] } = { seen: [] }
  let resolve: (value: { name: string; atMs: number }) => void = () => undefined
  const cut = new Promise<{ name: string; atMs: number }>((done) => {
    resolve = done
  })
  let armed = true
  const onEvent = (event: SeenEvent): void => {
    state.seen.push(event)
    if (!armed || event.type !== kill.after || !state.roles) return
    armed = false
    const name = state.roles.nameOf(kill.victim, state.seen)
    const atMs = Date.now()
    void stack.kill(name).then(() => {
      resolve({ name, atMs })
    })
  }
  const run = await startRun(stack.process('console').channel, {
    ...order,
    onEvent,
    onSession: async (sessionId) => {
      state.roles = await rolesOf(stack, sessionId)
    },
  })
  return {
    ...run,
    cut,
    async [Symbol.asyncDispose]() {
      await run.watcher[Symbol.asyncDispose]()
      await state.roles?.[Symbol.asyncDispose]()
    },
  }
}
