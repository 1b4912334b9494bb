import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { rpcClient } from '@sciencediscovery/service-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import * as story from '../harness/story.js'

const steps = 60

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())

interface Seen {
  readonly position: number
  readonly type: string
  readonly callId: string
}

/** Takes events from a place on and leaves after so many, or at the end of the run. */
async function take(runId: string, from: number, most: number): Promise<readonly Seen[]> {
  const runs = rpcClient(RunServiceService, stack.channel)
  const leaving = new AbortController()
  const request = { runId, afterPosition: BigInt(from), includeLive: true }
  const seen: Seen[] = []
  for await (const { item } of runs.watchRun(request, { signal: leaving.signal })) {
    if (item?.$case !== 'event') continue
    const { position, type, dataJson } = item.value
    const data: unknown = JSON.parse(dataJson)
    const callId = typeof data === 'object' && data !== null ? Reflect.get(data, 'callId') : ''
    seen.push({ position: Number(position), type, callId: String(callId) })
    if (seen.length >= most) break
  }
  leaving.abort()
  return seen
}

describe('BR-069: a watcher that drops and comes back while events are written', () => {
  test('sees every event once, in append order, each call before its result', async () => {
    const list = (turn: number, at: number) =>
      story.call(`t${turn}-${at}`, 'list_files', { path: `d${turn}${at}` })
    const turns = [
      ...Array.from({ length: steps }, (_, turn) => ({
        text: `turn ${turn}`,
        toolCalls: [list(turn, 1), list(turn, 2)],
      })),
      { text: 'done' },
    ]
    const sessionId = await story.openSession(stack, 'watched')
    const runId = await story.start(stack, sessionId, 'watched', { turns })
    const seen: Seen[] = []
    let returns = 0
    while (seen.at(-1)?.type !== 'run.completed') {
      // Leaves after each few events at first, so that it comes back at least 20 times.
      const most = returns < 25 ? 1 + (returns % 7) : Number.POSITIVE_INFINITY
      seen.push(...(await take(runId, seen.length, most)))
      returns += 1
    }
    expect(returns).toBeGreaterThanOrEqual(21)
    expect(seen.map(({ position }) => position)).toEqual(seen.map((_, at) => at + 1))
    for (const { type, callId } of seen.filter((one) => one.type === 'tool.call.completed')) {
      const asked = seen.findIndex(
        (one) => one.type === 'tool.call.requested' && one.callId === callId,
      )
      const ended = seen.findIndex((one) => one.type === type && one.callId === callId)
      expect(asked).toBeGreaterThan(-1)
      expect(asked).toBeLessThan(ended)
    }
    expect(seen.filter(({ type }) => type === 'tool.call.completed')).toHaveLength(2 * steps)
  })

  test('a watcher from before and one from after the end see the same, also after a restart', async () => {
    const events = await story.play(stack, 'twice', [
      { text: '', toolCalls: [story.shell('s1', 'echo 1')] },
      { text: 'done' },
    ])
    const runId = String(events[0]?.data.runId)
    const before = events.map(({ position, type, data }) => ({ position, type, data }))
    await stack.restart()
    const after = await story.toEnd(stack, runId)
    expect(after.map(({ position, type, data }) => ({ position, type, data }))).toEqual(before)
  })

  test('thirty watchers of one run see the same', async () => {
    const sessionId = await story.openSession(stack, 'many')
    const turns = Array.from({ length: 5 }, (_, at) => ({
      text: `turn ${at}`,
      toolCalls: at < 4 ? [story.call(`l${at}`, 'list_files', { path: `d${at}` })] : [],
    }))
    const runId = await story.start(stack, sessionId, 'many', { turns })
    const all = await Promise.all(
      Array.from({ length: 30 }, () => take(runId, 0, Number.POSITIVE_INFINITY)),
    )
    for (const seen of all) expect(seen).toEqual(all[0])
    expect(all[0]?.at(-1)?.type).toBe('run.completed')
  })
})
