import { type EventPorts } from '@sciencediscovery/event-store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../commits.js'
import { until } from '../until.js'
import { type CurrentWorld, disconnect } from './store-world.js'

/** Jobs that one worker holds. */
export function queueContract(world: CurrentWorld): void {
  describe('work queue', () => {
    let one: EventPorts
    let other: EventPorts
    beforeAll(async () => {
      one = await world().connect()
      other = await world().connect()
    })
    afterAll(() => disconnect(one, other))
    const within = (ms: number): AbortSignal => AbortSignal.timeout(ms)

    test('a job is offered once while it is open, and can be offered anew when it is done', async () => {
      const queue = 'placement.once'
      await one.queue.offer(queue, 'workspace-1:1', { epoch: 1 })
      await other.queue.offer(queue, 'workspace-1:1', { epoch: 1 })
      expect(await one.queue.waiting(queue)).toBe(1)
      const lease = await other.queue.take(queue, within(5_000))
      expect(lease).toMatchObject({ id: 'workspace-1:1', payload: { epoch: 1 }, attempt: 1 })
      await one.queue.offer(queue, 'workspace-1:1', { epoch: 1 })
      expect(await one.queue.take(queue, within(200))).toBeUndefined()
      await lease?.complete()
      expect(await one.queue.waiting(queue)).toBe(0)
      await one.queue.offer(queue, 'workspace-1:1', { epoch: 2 })
      const again = await one.queue.take(queue, within(5_000))
      expect(again?.payload).toEqual({ epoch: 2 })
      await again?.complete()
    })

    test('take waits for an offer, and is told when the wait is over', async () => {
      const queue = 'placement.waits'
      expect(await one.queue.take(queue, within(100))).toBeUndefined()
      const taking = other.queue.take(queue, within(5_000))
      await one.queue.offer(queue, 'job', 'payload')
      const lease = await taking
      expect(lease?.payload).toBe('payload')
      await lease?.complete()
    })

    test('each job is held by one worker only', async () => {
      const queue = 'placement.each'
      await Promise.all(
        Array.from({ length: 6 }, (_, index) => one.queue.offer(queue, `job-${index}`, index)),
      )
      const takers = Array.from({ length: 6 }, (_, index) => (index % 2 ? one : other))
      const leases = await Promise.all(
        takers.map((client) => client.queue.take(queue, within(5_000))),
      )
      expect(new Set(leases.map((lease) => lease?.id)).size).toBe(6)
      for (const lease of leases) await lease?.complete()
    })

    test('a released job goes to another worker with the next attempt', async () => {
      const queue = 'placement.released'
      await one.queue.offer(queue, 'job', 1)
      const first = await one.queue.take(queue, within(5_000))
      await first?.release(50)
      expect(await codeOf(first?.complete() ?? Promise.resolve())).toBe('conflict')
      const second = await other.queue.take(queue, within(5_000))
      expect(second?.attempt).toBe(2)
      await second?.complete()
    })

    test('a held job is kept for longer than the ack wait', async () => {
      const queue = 'placement.kept'
      await one.queue.offer(queue, 'job', 1)
      const lease = await one.queue.take(queue, within(5_000))
      expect(await other.queue.take(queue, within(world().ackWaitMs * 2.5))).toBeUndefined()
      expect(lease?.lost.aborted).toBe(false)
      await lease?.complete()
    })

    test('lease lost: when its worker goes, another has the job and the lease says so', async () => {
      const queue = 'placement.lost'
      const worker = await world().connect()
      await one.queue.offer(queue, 'job', 1)
      const lease = await worker.queue.take(queue, within(5_000))
      await disconnect(worker)
      expect(lease?.lost.aborted).toBe(true)
      const second = await other.queue.take(queue, within(10_000))
      expect(second).toMatchObject({ id: 'job', attempt: 2 })
      await second?.complete()
      await until('nothing waits', async () => (await one.queue.waiting(queue)) === 0)
    })
  })
}
