import { PlatformError } from '@sciencediscovery/kernel'
import { type EventPorts } from '@sciencediscovery/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../commits.js'
import { until } from '../until.js'
import { type CurrentWorld, disconnect } from './store-world.js'

/**
 * Waits until `to` knows what `from` listens to. Between servers that takes a moment, and it is told in
 * the order it happened: who reaches the latest listener reaches those before it.
 */
async function newsOf(from: EventPorts, to: EventPorts): Promise<void> {
  await using latest = await from.signals.respond('replica.latest', () => Promise.resolve(1))
  expect(latest).toBeDefined()
  await until('the news has travelled', async () => {
    return (await codeOf(to.signals.request('replica.latest', 1, 200))) === 'done'
  })
}

/** Hints between processes. */
export function signalsContract(world: CurrentWorld): void {
  describe('signals', () => {
    let one: EventPorts
    let other: EventPorts
    beforeAll(async () => {
      one = await world().connect()
      other = await world().connect()
    })
    afterAll(() => disconnect(one, other))

    test('a subscriber gets every later message of its topic, and of no other', async () => {
      const seen: unknown[] = []
      await using exact = await other.signals.subscribe('live.run-1', (payload) =>
        seen.push(payload),
      )
      await using all = await other.signals.subscribe('live.*', (payload, topic) =>
        seen.push([topic, payload]),
      )
      expect([exact, all]).toHaveLength(2)
      await newsOf(other, one)
      one.signals.publish('live.run-2', { text: 'b' })
      one.signals.publish('live.run-1', { text: 'a' })
      one.signals.publish('live.run-1.deep', { text: 'c' })
      await until('three are seen', () => seen.length >= 3)
      expect(seen).toContainEqual({ text: 'a' })
      expect(seen).toContainEqual(['live.run-1', { text: 'a' }])
      expect(seen).toContainEqual(['live.run-2', { text: 'b' }])
      expect(seen).toHaveLength(3)
    })

    test('an ended subscription gets nothing more', async () => {
      const [ended, open]: [unknown[], unknown[]] = [[], []]
      const subscription = await other.signals.subscribe('live.ended', (payload) =>
        ended.push(payload),
      )
      await using still = await other.signals.subscribe('live.ended', (payload) =>
        open.push(payload),
      )
      expect(still).toBeDefined()
      await subscription[Symbol.asyncDispose]()
      await newsOf(other, one)
      one.signals.publish('live.ended', 1)
      await until('the other has it', () => open.length > 0)
      expect(ended).toEqual([])
    })

    test('a request is answered by the responder', async () => {
      await using responder = await other.signals.respond('replica.a', (payload) =>
        Promise.resolve({ got: payload }),
      )
      expect(responder).toBeDefined()
      await newsOf(other, one)
      expect(await one.signals.request('replica.a', { ping: 1 }, 2_000)).toEqual({
        got: { ping: 1 },
      })
    })

    test('no responder: unavailable at once, also when the responder is gone', async () => {
      const startedAt = performance.now()
      const never = one.signals.request('replica.never', 1, 5_000)
      await expect(never).rejects.toMatchObject({ code: 'unavailable' })
      expect(performance.now() - startedAt).toBeLessThan(2_000)
      const responder = await other.signals.respond('replica.gone', () => Promise.resolve(1))
      await responder[Symbol.asyncDispose]()
      // Between servers the news takes a moment; until then a request runs into its time limit.
      await until('it is known to be gone', async () => {
        return (await codeOf(one.signals.request('replica.gone', 1, 200))) === 'unavailable'
      })
    })

    test('a responder that says nothing is a deadline, one that throws keeps its code', async () => {
      await using silent = await other.signals.respond(
        'replica.silent',
        () => new Promise(() => undefined),
      )
      await using failing = await other.signals.respond('replica.failing', () => {
        return Promise.reject(new PlatformError('refused', 'draining'))
      })
      expect([silent, failing]).toHaveLength(2)
      await newsOf(other, one)
      await expect(one.signals.request('replica.silent', 1, 100)).rejects.toMatchObject({
        code: 'deadline',
      })
      await expect(one.signals.request('replica.failing', 1, 2_000)).rejects.toMatchObject({
        code: 'refused',
      })
    })
  })
}
