import { type EventStore } from '@sciencediscovery/event-store'
import { type ErrorCode, PlatformError } from '@sciencediscovery/kernel'
import { ExecutionState } from '@sciencediscovery/proto-gen/executions/v1/executions'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { collect, faultyStore, noFaults, until } from '@sciencediscovery/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorld, startRequest, workspaceId, type World } from './testing/runner-fixture.js'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

/** A store whose append of an event lands, while its answer is lost as often as said. */
function losingAnswers(
  store: EventStore,
  {
    type,
    code,
    times,
  }: { readonly type: string; readonly code: ErrorCode; readonly times: number },
): EventStore {
  const direct = faultyStore(store, () => 1, { faults: noFaults })
  const left = { times }
  return {
    ...direct,
    append: async (commit, expectedSequence, signal) => {
      const stored = await store.append(commit, expectedSequence, signal)
      if (left.times === 0 || !commit.events.some((event) => event.type === type)) return stored
      left.times -= 1
      throw new PlatformError(code, 'the answer was lost')
    },
  }
}

const startsOf = async () => {
  const subject = workspaceSubject(workspaceId)
  const last = await world.store.store.last(subject)
  const range = { upToSequence: last?.sequence ?? 0 }
  const commits = await collect(world.store.store.read(subject, range))
  return commits
    .flatMap(({ commit }) => commit.events)
    .filter(({ type }) => type === 'execution.started')
}

describe('the answer to the start of an execution is lost, the start is not', () => {
  test('X-12: it runs, once', async () => {
    const lost = { type: 'execution.started', code: 'unknown', times: 1 } as const
    const store = losingAnswers(world.store.store, lost)
    const replica = await world.startReplica('one', { ports: { store } })
    const done = await replica.run('echo once >> log.txt; cat log.txt', { waitMs: 5_000 })
    expect(done.state).toBe(ExecutionState.EXECUTION_STATE_COMPLETED)
    expect(done.stdoutPreview).toBe('once\n')
    expect(await startsOf()).toHaveLength(1)
  })

  test('it runs, once, also when the caller was told of a failure and never asks again', async () => {
    const lost = { type: 'execution.started', code: 'deadline', times: 1 } as const
    const store = losingAnswers(world.store.store, lost)
    const replica = await world.startReplica('one', { ports: { store } })
    const request = startRequest('echo once >> log.txt; cat log.txt')
    await expect(replica.executions.startExecution(request)).rejects.toMatchObject({
      code: 'deadline',
    })
    const wait = { ...request, waitMs: 0 }
    await until('it has ended', async () => {
      const { execution } = await replica.executions.waitExecution(wait)
      return execution?.state === ExecutionState.EXECUTION_STATE_COMPLETED
    })
    const next = await replica.run('cat log.txt')
    expect(next.stdoutPreview).toBe('once\n')
    expect(await startsOf()).toHaveLength(2)
  })
})
