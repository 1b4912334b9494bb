import { type EventStore } from '@sciencediscovery/event-store'
import { collect } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OrchestratorFixture, startOrchestrator } from './testing/orchestrator-fixture.js'
import { scriptOf, settingsOf } from './testing/requests.js'

/** How many commits were given to whoever reads or follows a subject, beside what states are folded from. */
const given = { commits: 0 }

function counting(store: EventStore): EventStore {
  const count = async function* (commits: ReturnType<EventStore['read']>) {
    for await (const stored of commits) {
      given.commits += 1
      yield stored
    }
  }
  const watched = new Map<PropertyKey, unknown>([
    ['read', (...args: Parameters<EventStore['read']>) => count(store.read(...args))],
    [
      'followSubject',
      (...args: Parameters<EventStore['followSubject']>) => count(store.followSubject(...args)),
    ],
  ])
  return new Proxy(store, {
    get: (target, name) => {
      if (watched.has(name)) return watched.get(name)
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
}

let place: OrchestratorFixture
beforeAll(async () => {
  place = await startOrchestrator({ store: counting })
}, 60_000)
afterAll(async () => {
  await place[Symbol.asyncDispose]()
})

const turns = 30
const script = scriptOf(
  ...Array.from({ length: turns }, (_, at) => ({
    text: `turn ${at}`,
    toolCalls: [
      {
        id: `p${at}`,
        name: 'update_plan',
        arguments: { plan: [{ step: `step ${at}`, status: 'in_progress' }] },
      },
    ],
  })),
  { text: 'Done.' },
)

describe('WatchRun', () => {
  test('from a position on reads from there, not from the start', async () => {
    const settings = settingsOf('watched')
    const { session } = await place.sessions.createSession({
      ...{ idempotencyKey: 's', projectId: 'p1', settings },
    })
    const { runId } = await place.runs.startRun({
      ...{ idempotencyKey: 'r', sessionId: session?.sessionId ?? '', projectId: 'p1' },
      ...{ message: 'go', model: '', maxModelTurns: 0, script },
    })
    const watch = async (after: bigint) =>
      collect(place.runs.watchRun({ runId, afterPosition: after, includeLive: false }))
    const positionsOf = (answers: Awaited<ReturnType<typeof watch>>) =>
      answers.map(({ item }) => (item?.$case === 'event' ? item.value.position : -1n))
    const whole = positionsOf(await watch(0n))
    const last = BigInt(whole.length)
    expect(whole.at(-1)).toBe(last)
    given.commits = 0
    expect(positionsOf(await watch(last - 3n))).toEqual([last - 2n, last - 1n, last])
    expect(given.commits).toBeLessThanOrEqual(3)
    given.commits = 0
    expect(await watch(last)).toEqual([])
    expect(given.commits).toBe(0)
    await expect(watch(last + 1n)).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'after_position' },
    })
  })
})
