import { PermissionDecision } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OrchestratorFixture, startOrchestrator } from './testing/orchestrator-fixture.js'
import { guardedScript, scriptOf, settingsOf } from './testing/requests.js'

let place: OrchestratorFixture
beforeAll(async () => {
  place = await startOrchestrator()
}, 60_000)
afterAll(async () => {
  await place[Symbol.asyncDispose]()
})

describe('ListPermissions', () => {
  test('X-10: what was decided stays after the end of the run, and of the run after it', async () => {
    const settings = settingsOf('decided')
    const { session } = await place.sessions.createSession({
      ...{ idempotencyKey: 's', projectId: 'p1', settings },
    })
    const start = async (idempotencyKey: string, script: Buffer): Promise<string> => {
      const ids = { sessionId: session?.sessionId ?? '', projectId: 'p1' }
      const more = { message: 'go', model: '', maxModelTurns: 0, script }
      return (await place.runs.startRun({ idempotencyKey, ...ids, ...more })).runId
    }
    const listed = async (runId: string) => {
      const list = place.runs.listPermissions({ runId, pendingOnly: false })
      return (await list.catch(() => ({ requests: [] }))).requests
    }
    const ended = (runId: string) =>
      until('the run has ended', async () => {
        const { run } = await place.runs.getRun({ runId, minPosition: '' })
        return (run?.endedAt ?? '') !== ''
      })
    const runId = await start('one', guardedScript)
    await until('a call waits', async () => (await listed(runId)).length === 1)
    const [asked] = await listed(runId)
    const requestId = asked?.requestId ?? ''
    await place.runs.decidePermission({
      ...{ idempotencyKey: 'd', runId, requestId },
      decision: PermissionDecision.PERMISSION_DECISION_ALLOW_ONCE,
    })
    await ended(runId)
    expect(await listed(runId)).toMatchObject([{ requestId, state: 'allowed', callId: 'g1' }])
    const next = await start('two', scriptOf({ text: '' }, { text: '' }, { text: 'Again.' }))
    await ended(next)
    expect(await listed(next)).toEqual([])
    expect(await listed(runId)).toMatchObject([{ requestId, state: 'allowed' }])
  })
})
