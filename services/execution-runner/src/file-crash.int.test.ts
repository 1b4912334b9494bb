import { type EventStore } from '@sciencediscovery/event-store'
import { PlatformError } from '@sciencediscovery/kernel'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { collect, faultyStore, noFaults } from '@sciencediscovery/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWorld, inWorkspace, workspaceId, type World } from './testing/runner-fixture.js'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

/** A store that loses the first commits of files on their way, after the files were changed. */
function losing(store: EventStore, plan: { commits: number }): EventStore {
  const direct = faultyStore(store, () => 1, { faults: noFaults })
  return {
    ...direct,
    append: (commit, expectedSequence, signal) => {
      const isLost = plan.commits > 0 && commit.events.some(({ type }) => type === 'file.committed')
      if (!isLost) return store.append(commit, expectedSequence, signal)
      plan.commits -= 1
      return Promise.reject(new PlatformError('deadline', 'planted'))
    },
  }
}

const changes = async () => {
  const subject = workspaceSubject(workspaceId)
  const last = await world.store.store.last(subject)
  const range = { upToSequence: last?.sequence ?? 0 }
  const commits = await collect(world.store.store.read(subject, range))
  const events = commits.flatMap(({ commit }) => commit.events)
  return events.filter(({ type }) => type === 'workspace.changed').map(({ data }) => data)
}

describe('a claim that ends between the change of a file and its commit', () => {
  test('X-12: the same call, asked again, completes: it is not refused for its own doing', async () => {
    const plan = { commits: 0 }
    const store = losing(world.store.store, plan)
    const replica = await world.startReplica('one', { ports: { store } })
    await replica.run('echo kept > kept.txt')
    plan.commits = 1
    const written = await replica.files.writeFile({
      ...{ ...inWorkspace, effectKey: 'k1', path: 'a.txt', content: Buffer.from('one\n') },
      conflict: Conflict.CONFLICT_REJECT,
    })
    expect(written.file?.path).toBe('a.txt')
    plan.commits = 1
    const edited = await replica.files.editFile({
      ...{ ...inWorkspace, effectKey: 'k2', path: 'a.txt', replaceAll: false },
      ...{ oldString: 'one', newString: 'two' },
    })
    expect(edited.replacements).toBe(1)
    expect((await replica.run('cat a.txt kept.txt')).stdoutPreview).toBe('two\nkept\n')
    // Every change has its cause; none is one that nobody knows.
    expect(await changes()).toMatchObject([
      { origin: 'tool', created: 1 },
      { origin: 'agent', created: 1 },
      { origin: 'agent', modified: 1 },
    ])
  })
})
