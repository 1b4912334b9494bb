import { Severity } from '@sciencediscovery/proto-gen/operations/v1/operations_service'
import { encodePosition } from '@sciencediscovery/projection'
import { runSubject } from '@sciencediscovery/run-events'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appendEvents } from '../append-events-fixture.js'
import { castOf, created, RunStory } from '../run-story-fixture.js'
import { startWorld, type World } from '../world-fixture.js'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const cast = castOf('p', '0123456789abcdef')
const poisoned = runSubject('r-0-0123456789abcdef-p')
const elsewhere = runSubject(cast.runId)

describe('Diagnose › a commit that a view cannot read', () => {
  test('is shown with its place, and holds up nothing but its own stream', async () => {
    const poison = { type: 'run.started', v: 1, data: { runId: 7 } }
    const { stream, sequence } = await appendEvents(world.store, poisoned, [poison])
    const story = new RunStory(cast).started().fileTool('w1', 'write_file', [created('a.txt', 'a')])
    const last = await appendEvents(world.store, elsewhere, story.events)

    await until('the failure is shown', async () => {
      const { findings } = await world.operations.diagnose({})
      const view = findings.find(({ name }) => name === 'view:run_provenance')
      return (
        view?.severity === Severity.SEVERITY_ERROR &&
        view.message.includes(`${stream} ${sequence}`) &&
        view.remedy !== ''
      )
    })
    const answer = await world.provenance.getFileProvenance({
      projectId: 'p',
      sessionId: '',
      agentId: '',
      pathOrArtifact: 'a.txt',
      version: 0,
      minPosition: encodePosition(last),
    })
    expect(answer.detailsJson).toContain('"callId":"w1"')
    const { findings } = await world.operations.diagnose({})
    const others = findings.filter(
      ({ name }) => name !== 'view:run_provenance' && name !== 'view:provenance_uses',
    )
    expect(others.map(({ severity }) => severity)).toEqual(others.map(() => Severity.SEVERITY_OK))
  })
})
