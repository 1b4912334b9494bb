import { performance } from 'node:perf_hooks'
import { randomUUID } from 'node:crypto'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { SessionServiceService } from '@sciencediscovery/proto-gen/sessions/v1/sessions_service'
import { ApprovalMode } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { connectChannel, rpcClient } from '@sciencediscovery/service-kit'

/** A script of so many turns with one call each, and a last one that ends the run. */
export function scriptOf(turns, callAt, more = {}) {
  const asked = Array.from({ length: turns }, (_, index) => ({
    ...more,
    toolCalls: [{ id: `c${index}`, ...callAt(index) }],
  }))
  return Buffer.from(JSON.stringify({ turns: [...asked, { text: 'done' }] }))
}

/** Calls that are unlike, so that the repeat guard stays out of it. */
export const shellTrue = (index) => ({
  name: 'run_shell',
  arguments: { command: `true # ${index}` },
})
export const planCall = (index) => ({
  name: 'update_plan',
  arguments: { plan: [{ step: `step ${index}`, status: 'in_progress' }] },
})

/** A client of a stack as any program is one. */
export function stackClient({ address, token }) {
  const channel = connectChannel(address, { token })
  const sessions = rpcClient(SessionServiceService, channel)
  const runs = rpcClient(RunServiceService, channel)
  const settings = {
    ...{
      title: '',
      profile: 'science',
      model: '',
      inputPolicy: 0,
      environmentId: '',
      runnerId: '',
    },
    approvalMode: ApprovalMode.APPROVAL_MODE_ALWAYS_ALLOW,
    ...{ toolPolicy: { allow: [], deny: [] }, skills: [], sources: [] },
  }
  /** Starts a run in a session of its own and gives its events with the time of their arrival. */
  const play = async (script, { onEvent = () => undefined } = {}) => {
    const created = await sessions.createSession({
      idempotencyKey: randomUUID(),
      projectId: '',
      settings,
    })
    const startedAt = performance.now()
    const { runId } = await runs.startRun({
      idempotencyKey: randomUUID(),
      sessionId: created.session.sessionId,
      ...{ projectId: '', message: 'bench', model: '', script, maxModelTurns: 100_000 },
    })
    const events = []
    const watched = runs.watchRun(
      { runId, afterPosition: 0n, includeLive: false },
      { timeoutMs: 600_000 },
    )
    for await (const { item } of watched) {
      if (item?.$case !== 'event') continue
      const { type, time, dataJson } = item.value
      events.push({ type, time, at: performance.now(), dataJson })
      onEvent(item.value)
    }
    const last = events.at(-1)
    if (last?.type !== 'run.completed')
      throw new Error(`the run ended with ${last?.type} ${last?.dataJson}`)
    return { runId, session: created.session, startedAt, events }
  }
  return { play, close: () => channel.close() }
}
