import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { delay, rpcClient } from '@sciencediscovery/service-kit'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { type Constellation, startConstellation } from '../harness/constellation.js'
import { type StartedRun, runInSession, startRun } from '../harness/run-client.js'
import { longestStandstillMs } from './move-on-times.js'
import { logLinesOf, outcomesOf, startsOf } from './observations.js'
import { rolesOf, workspaceEvents } from './roles.js'

const moveOnMs = 5_000
const leaseMs = 3_000

let stack: Constellation
beforeAll(async () => {
  stack = await startConstellation({ orchestrators: 1, gateways: 2, artifactStores: 2 })
}, 240_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

const channel = () => stack.process('console').channel

/** Leaves one line at once; the rest of the command comes after it. */
const effect = (id: string, then = 'true') => ({
  text: '',
  toolCalls: [
    {
      id,
      name: 'run_shell',
      arguments: { command: `echo ${id} >> log.txt; ${then}; cat log.txt`, wait_ms: 30_000 },
    },
  ],
})

async function start(key: string, turns: readonly unknown[]): Promise<StartedRun> {
  onTestFailed(() => {
    process.stderr.write(stack.logs())
  })
  return startRun(channel(), { key, script: { turns }, approve: 'always' })
}

/** Resolves when so many executions of the session have started; ids that are asked for twice count once. */
async function started({ sessionId }: StartedRun, count: number): Promise<void> {
  const look = async () => startsOf(await workspaceEvents(stack, sessionId)).size >= count
  await until(`${count} executions have started`, look, 30_000)
}

async function ownerOf({ sessionId }: StartedRun): Promise<string> {
  await using roles = await rolesOf(stack, sessionId)
  // Awaited here: who follows it ends with this function.
  return await roles.ownerKnown()
}

/** Starts it again when the test is over, however that ended. */
function backAfterwards(name: string): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => stack.start(name) }
}

async function eachStartedOnce({ sessionId }: StartedRun): Promise<void> {
  for (const [executionId, count] of startsOf(await workspaceEvents(stack, sessionId)))
    expect({ executionId, count }).toEqual({ executionId, count: 1 })
}

function oneOutcomeEach({ watcher }: StartedRun): void {
  for (const [callId, outcomes] of outcomesOf(watcher.events))
    expect({ callId, outcomes: outcomes.length }).toEqual({ callId, outcomes: 1 })
}

/** The state that the run's own stream has of the executions of a call. */
const statesOf = ({ watcher }: StartedRun, callId: string) =>
  watcher.events
    .filter(({ type, data }) => type === 'execution.completed' && data.callId === callId)
    .map(({ data }) => data.state)

describe('kill -9 of the runner that owns the workspace, in the middle of an execution', () => {
  test('the execution is unknown, the files are the last snapshot, the run goes on', async () => {
    const cut = effect('s2', 'sleep 30')
    const run = await start('mid-run', [effect('s1'), cut, effect('s3'), { text: 'Done.' }])
    await using watcher = run.watcher
    await started(run, 2)
    const owner = await ownerOf(run)
    const atMs = Date.now()
    await stack.kill(owner)
    await using _back = backAfterwards(owner)
    expect((await watcher.waitForEnd()).type).toBe('run.completed')
    expect(longestStandstillMs(watcher.events, atMs)).toBeLessThan(moveOnMs)
    expect(statesOf(run, 's2')).toEqual(['unknown'])
    expect(logLinesOf(watcher.events)).toEqual(['s1', 's3'])
    oneOutcomeEach(run)
    await eachStartedOnce(run)
  })

  test('S-07 with a stop under way: the run is cancelled, the next one finds the last snapshot', async () => {
    const cut = effect('s2', 'sleep 30')
    const run = await start('mid-stop', [effect('s1'), cut, { text: 'Never.' }])
    await using watcher = run.watcher
    await started(run, 2)
    const owner = await ownerOf(run)
    // It cannot carry the stop out, only die of it.
    stack.process(owner).signal('SIGSTOP')
    const { runId } = run
    await rpcClient(RunServiceService, channel()).stopRun({
      ...{ idempotencyKey: 'stop', runId, reason: 'enough' },
    })
    const atMs = Date.now()
    await stack.kill(owner)
    await using _back = backAfterwards(owner)
    expect((await watcher.waitForEnd()).type).toBe('run.cancelled')
    expect(longestStandstillMs(watcher.events, atMs)).toBeLessThan(moveOnMs)
    oneOutcomeEach(run)
    const turns = [{ text: '' }, { text: '' }, effect('s3'), { text: 'Done.' }]
    const order = { key: 'after-stop', script: { turns } }
    const next = await runInSession(channel(), run.sessionId, order)
    await using nextWatcher = next.watcher
    expect((await nextWatcher.waitForEnd()).type).toBe('run.completed')
    expect(logLinesOf(nextWatcher.events)).toEqual(['s1', 's3'])
    await eachStartedOnce(run)
  })
})

describe('kill -9 of one of two replicas during calls', () => {
  test('tool-gateway: the other one takes the call up, every effect is made once', async () => {
    const effects = ['s1', 's2', 's3', 's4'].map((id) => effect(id, 'sleep 1'))
    const run = await start('gateways', [...effects, { text: 'Done.' }])
    await using watcher = run.watcher
    // One of the two has the call that is under way.
    const cuts: number[] = []
    for (const [nth, name] of ['gateway', 'gateway-1'].entries()) {
      await started(run, nth * 2 + 1)
      cuts.push(Date.now())
      await stack.kill(name)
      await started(run, nth * 2 + 2)
      await stack.start(name)
    }
    expect((await watcher.waitForEnd()).type).toBe('run.completed')
    for (const atMs of cuts)
      expect(longestStandstillMs(watcher.events, atMs)).toBeLessThan(moveOnMs)
    expect(logLinesOf(watcher.events)).toEqual(['s1', 's2', 's3', 's4'])
    oneOutcomeEach(run)
    await eachStartedOnce(run)
  })

  test('X-12 artifact-store: the other one answers, every version is declared once', async () => {
    const declare = (id: string) => ({
      text: '',
      toolCalls: [{ id, name: 'declare_artifact', arguments: { path: 'log.txt' } }],
    })
    const ids = ['d1', 'd2', 'd3', 'd4']
    const run = await start('stores', [effect('s1'), ...ids.map(declare), { text: 'Done.' }])
    await using watcher = run.watcher
    const cuts: number[] = []
    for (const [nth, name] of ['artifact-store', 'artifact-store-1'].entries()) {
      const callId = ids[nth * 2]
      await watcher.waitFor(
        `${String(callId)} is asked for`,
        ({ type, data }) => type === 'tool.call.requested' && data.callId === callId,
      )
      cuts.push(Date.now())
      await stack.kill(name)
      await stack.start(name)
    }
    expect((await watcher.waitForEnd()).type).toBe('run.completed')
    for (const atMs of cuts)
      expect(longestStandstillMs(watcher.events, atMs)).toBeLessThan(moveOnMs)
    const declared = watcher.events.filter(({ type }) => type === 'artifact.declared')
    expect(declared.map(({ data }) => [data.callId, data.version])).toEqual(
      ids.map((id, nth) => [id, nth + 1]),
    )
    oneOutcomeEach(run)
  })
})

describe('NATS stands still for longer than the lease of a workspace', () => {
  test('rule 8: what ran meanwhile has one right outcome or is unknown, and never runs twice', async () => {
    const cut = effect('s2', 'sleep 2')
    const run = await start('paused', [effect('s1'), cut, effect('s3'), { text: 'Done.' }])
    await using watcher = run.watcher
    await started(run, 2)
    const [node] = stack.nats.nodes
    await node?.signal('SIGSTOP')
    await delay(leaseMs + 2_000)
    await node?.signal('SIGCONT')
    expect((await watcher.waitForEnd()).type).toBe('run.completed')
    const [state] = statesOf(run, 's2')
    expect(['completed', 'unknown']).toContain(state)
    const lines = logLinesOf(watcher.events)
    expect(lines).toEqual([...new Set(lines)])
    expect(lines).toEqual(expect.arrayContaining(['s1', 's3']))
    if (state === 'completed') expect(lines).toContain('s2')
    oneOutcomeEach(run)
    await eachStartedOnce(run)
  })
})
