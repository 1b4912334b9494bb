import { type Signals } from '@sciencediscovery/event-store'
import { until } from '@sciencediscovery/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWorld, type Replica, type World } from './testing/runner-fixture.js'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

const listOf = async (replica: Replica) => {
  const { runners } = await replica.files.listRunners({})
  return runners.map(({ runnerId, replicas }) => `${runnerId} ${replicas}`).join(', ')
}

test('ListRunners counts the replicas that answer: those that come, leave, and fall silent', async () => {
  const one = await world.startReplica('one')
  expect(await listOf(one)).toBe('local 1')
  const two = await world.startReplica('two')
  const mute = muted(world.store.attach().signals)
  const far = await world.startReplica('far', { pool: 'gpu', ports: { signals: mute.signals } })
  for (const replica of [one, two, far])
    await until('all are counted', async () => (await listOf(replica)) === 'gpu 1, local 2')
  await two[Symbol.asyncDispose]()
  await until('one has left', async () => (await listOf(one)) === 'gpu 1, local 1')
  // As after a kill: it does not say that it leaves.
  mute.silence()
  await until('the other pool is empty', async () => (await listOf(one)) === 'gpu 0, local 1')
})

/** Signals that can be silenced, as a process is by its death. */
function muted(signals: Signals): { readonly signals: Signals; silence(): void } {
  const state = { silent: false }
  return {
    silence: () => {
      state.silent = true
    },
    signals: {
      publish: (topic, payload) => {
        if (!state.silent) signals.publish(topic, payload)
      },
      subscribe: (...args) => signals.subscribe(...args),
      respond: (...args) => signals.respond(...args),
      request: (...args) => signals.request(...args),
      [Symbol.asyncDispose]: () => signals[Symbol.asyncDispose](),
    },
  }
}
