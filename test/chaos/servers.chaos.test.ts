import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { delay } from '@sciencediscovery/service-kit'
import { type Constellation, startConstellation } from '../harness/constellation.js'
import { type StartedRun, startRun } from '../harness/run-client.js'
import { type SeenEvent } from '../harness/run-watcher.js'
import { logLinesOf, outcomesOf } from './observations.js'
import { viewsAndRebuilt } from './rebuilt-views.js'

let stack: Constellation
beforeAll(async () => {
  stack = await startConstellation()
}, 240_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

const runsAtOnce = 4
const steps = ['s1', 's2', 's3', 's4', 's5']
const outageMs = 10_000

const script = {
  turns: [
    ...steps.map((id) => ({
      text: '',
      latencyMs: 500,
      toolCalls: [
        {
          id,
          name: 'run_shell',
          arguments: { command: `echo ${id} >> log.txt; cat log.txt`, wait_ms: 30_000 },
        },
      ],
    })),
    { text: 'Done.' },
  ],
}

async function startRuns(key: string): Promise<readonly StartedRun[]> {
  onTestFailed(() => {
    process.stderr.write(stack.logs())
  })
  const { channel } = stack.process('console')
  const orders = Array.from({ length: runsAtOnce }, (_, n) => ({
    ...{ key: `${key}-${n}`, script },
    approve: 'always' as const,
  }))
  const runs = await Promise.all(orders.map((order) => startRun(channel, order)))
  await Promise.all(runs.map(({ watcher }) => watcher.waitForType('execution.completed')))
  return runs
}

async function allEndWell(runs: readonly StartedRun[]): Promise<void> {
  for (const { watcher } of runs) {
    expect((await watcher.waitForEnd(90_000)).type).toBe('run.completed')
    const { events } = watcher
    expect(events.map(({ position }) => position)).toEqual(events.map((_, n) => n + 1))
    // A runner that the bus did not hear for the length of a lease must let go: what ran then is unknown.
    const ran = steps.filter((id) => !endedUnknown(events, id))
    const lines = logLinesOf(events)
    expect(lines).toEqual([...new Set(lines)])
    expect(lines).toEqual(expect.arrayContaining(ran))
    for (const [callId, outcomes] of outcomesOf(events))
      expect({ callId, outcomes: outcomes.length }).toEqual({ callId, outcomes: 1 })
    await watcher[Symbol.asyncDispose]()
  }
}

function endedUnknown(events: readonly SeenEvent[], callId: string): boolean {
  const [outcome] = outcomesOf(events).get(callId) ?? []
  return outcome?.type === 'tool.call.failed' || outcome?.data.isError === true
}

describe('under load', () => {
  test('NATS is killed and started again: no event is lost or doubled, views are whole', async () => {
    const runs = await startRuns('nats')
    const [node] = stack.nats.nodes
    await node?.signal('SIGKILL')
    await node?.start()
    await allEndWell(runs)
    const { kept, rebuilt } = await viewsAndRebuilt(stack)
    expect(rebuilt).toEqual(kept)
  })

  test('PostgreSQL is away for 10 s: runs go on without it, views catch up', async () => {
    const runs = await startRuns('postgres')
    await stack.postgres.kill()
    const away = delay(outageMs)
    // Runs need no database: they end while it is away, or soon after.
    const ended = allEndWell(runs)
    await away
    await stack.postgres.start()
    await ended
    const { kept, rebuilt } = await viewsAndRebuilt(stack)
    expect(rebuilt).toEqual(kept)
    const listed = await stack.scid('runs', '--json')
    for (const { runId } of runs) expect(listed.stdout).toContain(runId)
  })
})
