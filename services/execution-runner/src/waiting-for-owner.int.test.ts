import { type WorkQueue } from '@sciencediscovery/event-store'
import { type Logger } from '@sciencediscovery/service-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWorld, startRequest, type World } from './testing/runner-fixture.js'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

test('a call that nobody takes looks ever more seldom and is told of once', async () => {
  const offers: number[] = []
  const { queue } = world.store.attach()
  const counting: WorkQueue = {
    offer: (...args) => {
      offers.push(performance.now())
      return queue.offer(...args)
    },
    take: (...args) => queue.take(...args),
    waiting: (name) => queue.waiting(name),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
  const warnings: string[] = []
  const keep = (_fields: object, message: string): void => {
    warnings.push(message)
  }
  const quiet = (): void => undefined
  const logger: Logger = { debug: quiet, info: quiet, warn: keep, error: keep, child: () => logger }
  const full = { workspaces: 0 }
  const replica = await world.startReplica('full', {
    ...{ sandbox: full, ports: { queue: counting }, logger },
  })
  const asked = replica.executions.startExecution(startRequest('true'), { timeoutMs: 3_000 })
  await expect(asked).rejects.toMatchObject({ code: 'deadline' })
  expect(offers.length).toBeGreaterThan(5)
  expect(offers.length).toBeLessThan(18)
  expect(warnings.filter((message) => message === 'waiting for an owner')).toHaveLength(1)
})
