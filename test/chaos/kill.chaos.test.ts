import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { type Constellation, startConstellation } from '../harness/constellation.js'
import { type StartedRun, runInSession, startRun } from '../harness/run-client.js'
import { type SeenEvent } from '../harness/run-watcher.js'
import { isFullMatrix } from './config.js'
import { startAndKill } from './kill-at.js'
import { type Kill, killPlan } from './kill-plan.js'
import { longestStandstillMs, standstills } from './move-on-times.js'
import { outcomesOf, logLinesOf, startsOf } from './observations.js'
import { referenceScript, referenceTypes } from './reference-run.js'
import { workspaceEvents } from './roles.js'

const moveOnMs = 5_000
const times = standstills()

let stack: Constellation
beforeAll(async () => {
  stack = await startConstellation()
}, 240_000)
afterAll(async () => {
  times.print()
  await stack[Symbol.asyncDispose]()
})

const channel = () => stack.process('console').channel

describe('the reference run', () => {
  test('shows every event type that the kills are placed after', async () => {
    onTestFailed(() => {
      process.stderr.write(stack.logs())
    })
    const run = await startRun(channel(), {
      key: 'reference',
      script: referenceScript,
      approve: 'ask',
    })
    await using watcher = run.watcher
    expect((await watcher.waitForEnd()).type).toBe('run.completed')
    const seen = new Set(watcher.events.map(({ type }) => type))
    expect([...seen].sort()).toEqual([...referenceTypes].sort())
    expect(logLinesOf(watcher.events)).toEqual(['s1', 's2', 's3'])
    wholeAndOnce(run)
  })
})

describe('kill -9', () => {
  test.each(killPlan(isFullMatrix))(
    'of the $victim after $after: the run goes on',
    async (kill) => {
      onTestFailed(() => {
        process.stderr.write(stack.logs())
      })
      const key = `${kill.after}-${kill.victim}`
      const order = { key, script: referenceScript, approve: 'ask' } as const
      await using run = await startAndKill(stack, order, kill)
      const { name, atMs } = await run.cut
      // One that has a second replica stays away until the run has ended; the others come back at once.
      const isReplicated = kill.victim === 'orchestrator' || kill.victim === 'runner'
      if (!isReplicated) await stack.start(name)
      const absentMs = isReplicated ? 0 : Date.now() - atMs
      expect((await run.watcher.waitForEnd()).type).toBe('run.completed')
      const last = kill.after === 'run.completed' ? [await nextRunStarts(run, kill)] : []
      const standstillMs = longestStandstillMs([...run.watcher.events, ...last], atMs)
      times.add(kill, standstillMs, absentMs)
      if (isReplicated) await stack.start(name)
      wholeAndOnce(run)
      await effectsOnce(run, kill)
      expect(standstillMs - absentMs).toBeLessThan(moveOnMs)
    },
  )
})

/** The end of a run must reach its session also when whoever recorded it is gone. */
async function nextRunStarts({ sessionId }: StartedRun, kill: Kill): Promise<SeenEvent> {
  const script = { turns: [...referenceScript.turns, { text: 'Again.' }] }
  const key = `${kill.victim}-next`
  const next = await runInSession(channel(), sessionId, { key, script })
  await using watcher = next.watcher
  // Awaited here: the watcher ends with this function.
  return await watcher.waitForType('run.started')
}

function wholeAndOnce({ watcher }: StartedRun): void {
  expect(watcher.events.map(({ position }) => position)).toEqual(
    watcher.events.map((_, n) => n + 1),
  )
  for (const [callId, outcomes] of outcomesOf(watcher.events)) {
    expect({ callId, outcomes: outcomes.length }).toEqual({ callId, outcomes: 1 })
  }
}

async function effectsOnce(run: StartedRun, kill: Kill): Promise<void> {
  const lines = logLinesOf(run.watcher.events)
  expect(lines).toEqual([...new Set(lines)])
  if (kill.victim !== 'runner') expect(lines).toEqual(['s1', 's2', 's3'])
  const starts = startsOf(await workspaceEvents(stack, run.sessionId))
  for (const [executionId, count] of starts)
    expect({ executionId, count }).toEqual({ executionId, count: 1 })
}
