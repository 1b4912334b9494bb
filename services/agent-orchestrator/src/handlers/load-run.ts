import { notFound } from '@sciencediscovery/kernel'
import { runSubject } from '@sciencediscovery/run-events'
import { type RunFacts, type RunState } from '../domain/run/state.js'
import { type Application } from './application.js'

export type BornRun = RunState & { readonly facts: RunFacts }

export function isBorn(state: RunState): state is BornRun {
  return 'facts' in state
}

/** A started run from its stream; `not_found` for one that was never started. */
export async function loadRun(app: Application, runId: string): Promise<BornRun> {
  const { state } = await app.ctx.runs.load(runSubject(runId))
  if (!isBorn(state)) throw notFound(`run ${runId}`)
  return state
}
