import { collect } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OrchestratorFixture, startOrchestrator } from './testing/orchestrator-fixture.js'
import { scriptOf, settingsOf } from './testing/requests.js'

let place: OrchestratorFixture
beforeAll(async () => {
  place = await startOrchestrator({ env: { SCIENCE_AGENT_LLM_MAX_RETRIES: '0' } })
}, 60_000)
afterAll(async () => {
  await place[Symbol.asyncDispose]()
})

describe('a gateway that does not answer for a while', () => {
  test('uses up no retry of the model: the run waits for it and completes', async () => {
    const { session } = await place.sessions.createSession({
      ...{ idempotencyKey: 's', projectId: 'p1', settings: settingsOf('away') },
    })
    // More than the retries of one call.
    place.gateway.failNext(9)
    const { runId } = await place.runs.startRun({
      ...{ idempotencyKey: 'r', sessionId: session?.sessionId ?? '', projectId: 'p1' },
      ...{ message: 'go', model: '', maxModelTurns: 0, script: scriptOf({ text: 'Done.' }) },
    })
    const watch = { runId, afterPosition: 0n, includeLive: false }
    const events = await collect(place.runs.watchRun(watch))
    const types = events.map(({ item }) => (item?.$case === 'event' ? item.value.type : ''))
    expect(types).not.toContain('model.turn.failed')
    expect(types.at(-1)).toBe('run.completed')
  })
})
