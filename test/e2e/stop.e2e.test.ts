import { readFile, readdir } from 'node:fs/promises'
import { RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'
import { watchRun } from '../harness/run-watcher.js'
import * as story from '../harness/story.js'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())

const stop = (idempotencyKey: string, runId: string) =>
  story.runsOf(stack).stopRun({ idempotencyKey, runId, reason: 'enough' })

/** Whether a process of this machine has that argument. */
async function isAlive(argument: string): Promise<boolean> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.split('\0').includes(argument)) return true
  }
  return false
}

const sleeping = (seconds: string) => [
  { text: '', toolCalls: [story.shell('s1', `echo begun > begun.txt; sleep ${seconds}`, 30_000)] },
  { text: 'never said' },
]

describe('stopping a run › whose shell sleeps', () => {
  test('its process is gone, its call ends as cancelled, and `scid run` exits 130', async () => {
    const model = await story.scriptFile(stack, 'sleeper', sleeping('600.25'))
    const outcome = stack.scid(
      'run',
      'sleep long',
      '--model',
      model,
      '--approve',
      'always',
      '--json',
    )
    const { runId } = await story.listedRun(stack, 'sleep long')
    await until('the shell sleeps', () => isAlive('600.25'), 30_000)
    const stopped = await stack.scid('stop', runId)
    expect(stopped.code, stopped.stderr).toBe(0)
    const ended = await outcome
    expect(await isAlive('600.25')).toBe(false)
    expect(ended.code).toBe(130)
    const events = eventsOf(ended)
    const types = events.map(({ type }) => type)
    expect(types.at(-1)).toBe('run.cancelled')
    expect(types.indexOf('run.cancel.requested')).toBeLessThan(types.indexOf('tool.call.completed'))
    const execution = events.find(({ type }) => type === 'execution.completed')
    expect(execution?.data).toMatchObject({ state: 'cancelled', reason: 'cancelled' })
    expect(types.filter((type) => type === 'model.turn.requested')).toHaveLength(1)
  })

  test('the session takes the next run, with the workspace as the stopped one left it', async () => {
    const sessionId = await story.openSession(stack, 'after a stop')
    const first = await story.start(stack, sessionId, 'first', { turns: sleeping('600.5') })
    await until('the shell sleeps', () => isAlive('600.5'), 30_000)
    await stop('one', first)
    await story.toEnd(stack, first)
    const turns = [
      { text: 'skipped' },
      { text: '', toolCalls: [story.shell('s2', 'cat begun.txt')] },
      { text: 'done' },
    ]
    const second = await story.start(stack, sessionId, 'second', { turns })
    const events = await story.toEnd(stack, second)
    expect(story.endOf(events, 's2')?.data).toMatchObject({
      details: { execution: { stdout: 'begun\n' } },
    })
  })
})

describe('stopping a run › that waits for its model', () => {
  test('the call is cut and the run is cancelled', async () => {
    const sessionId = await story.openSession(stack, 'hanging')
    const runId = await story.start(stack, sessionId, 'hanging', { turns: [{ hang: true }] })
    await using watcher = watchRun(stack.channel, runId)
    await watcher.waitForType('model.turn.requested')
    expect((await stop('one', runId)).status).toBe(RunStatus.RUN_STATUS_CANCELLING)
    const end = await watcher.waitForEnd(20_000)
    expect(end).toMatchObject({ type: 'run.cancelled' })
    expect(watcher.events.map(({ type }) => type)).not.toContain('model.turn.completed')
  })

  test('twice, with one key or two: one request, one end', async () => {
    const sessionId = await story.openSession(stack, 'twice')
    const runId = await story.start(stack, sessionId, 'twice', { turns: [{ hang: true }] })
    await using watcher = watchRun(stack.channel, runId)
    await watcher.waitForType('model.turn.requested')
    await Promise.all([stop('one', runId), stop('one', runId), stop('two', runId)])
    await watcher.waitForEnd(20_000)
    const types = watcher.events.map(({ type }) => type)
    expect(types.filter((type) => type === 'run.cancel.requested')).toHaveLength(1)
    expect(types.filter((type) => type === 'run.cancelled')).toHaveLength(1)
  })
})

describe('stopping a run › that waits for a permission', () => {
  test('the request is cancelled and nothing was run', async () => {
    const sessionId = await story.openSession(stack, 'blocked', { approvalMode: 1 })
    const turns = [{ text: '', toolCalls: [story.shell('s1', 'true')] }, { text: 'done' }]
    const runId = await story.start(stack, sessionId, 'blocked', { turns })
    await using watcher = watchRun(stack.channel, runId)
    await watcher.waitForType('tool.call.blocked')
    await stop('one', runId)
    expect(await watcher.waitForEnd(20_000)).toMatchObject({ type: 'run.cancelled' })
    expect(watcher.events.map(({ type }) => type)).not.toContain('execution.completed')
    await until('no request waits', async () => {
      const { requests } = await story.runsOf(stack).listPermissions({ runId, pendingOnly: true })
      return requests.length === 0
    })
  })
})

describe('stopping a run › that is queued', () => {
  test('it never starts, and the one before it goes on', async () => {
    const sessionId = await story.openSession(stack, 'queue')
    const first = await story.start(stack, sessionId, 'active', { turns: [{ hang: true }] })
    const queued = await story.start(stack, sessionId, 'queued', { turns: [{ text: 'never' }] })
    await until('the queued run is listed', async () => {
      const { run } = await story.runsOf(stack).getRun({ runId: queued, minPosition: '' })
      return run?.status === RunStatus.RUN_STATUS_QUEUED
    })
    expect((await stop('queued', queued)).status).toBe(RunStatus.RUN_STATUS_CANCELLED)
    expect((await stop('again', queued)).status).toBe(RunStatus.RUN_STATUS_CANCELLED)
    const { run } = await story.runsOf(stack).getRun({ runId: first, minPosition: '' })
    expect(run?.status).toBe(RunStatus.RUN_STATUS_RUNNING)
    await stop('active', first)
    await story.toEnd(stack, first)
    const third = await story.start(stack, sessionId, 'third', { turns: [{ text: 'third' }] })
    expect((await story.toEnd(stack, third)).at(-1)?.type).toBe('run.completed')
    const { run: kept } = await story.runsOf(stack).getRun({ runId: queued, minPosition: '' })
    expect(kept?.status).toBe(RunStatus.RUN_STATUS_CANCELLED)
  })

  test('a stop in the moment of its start leaves it cancelled or withdrawn, never going', async () => {
    const sessionId = await story.openSession(stack, 'unborn')
    for (const key of ['1', '2', '3', '4', '5']) {
      const runId = await story.start(stack, sessionId, key, { turns: [{ hang: true }] })
      await stop(key, runId)
      await until(`${runId} is over`, async () => {
        const { run } = await story.runsOf(stack).getRun({ runId, minPosition: '' })
        return run?.status === RunStatus.RUN_STATUS_CANCELLED
      })
    }
    // The session is told of an end right after it.
    await until('the session is idle', async () => {
      const asked = { sessionId, projectId: '', minPosition: '' }
      const { session } = await story.sessionsOf(stack).getSession(asked)
      return session?.activeRunId === ''
    })
  })
})

describe('stopping a run › that has ended', () => {
  test('changes nothing and says how it ended', async () => {
    const events = await story.play(stack, 'ended', [{ text: 'done' }])
    const runId = String(events[0]?.data.runId)
    expect((await stop('late', runId)).status).toBe(RunStatus.RUN_STATUS_COMPLETED)
    expect(await story.toEnd(stack, runId)).toMatchObject(
      events.map(({ type, position }) => ({ type, position })),
    )
    const shown = await stack.scid('stop', runId)
    expect(shown).toMatchObject({ code: 0, stdout: `${runId} completed\n` })
  })

  test('one that never was is not found', async () => {
    expect(await story.refusalOf(stop('none', 'r-0-0000000000000000-default'))).toMatch(
      /^not_found/,
    )
    expect((await stack.scid('stop', 'r-0-0000000000000000-default')).code).toBe(1)
  })
})
