import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Lease, type WorkQueue } from '@sciencediscovery/event-store'
import { ExecutionState } from '@sciencediscovery/proto-gen/executions/v1/executions'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { workspaceSubject } from '@sciencediscovery/run-events'
import { until } from '@sciencediscovery/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  commandLines,
  createWorld,
  inWorkspace,
  outputOf,
  pool,
  projectId,
  type Replica,
  startRequest,
  workspaceId,
  type World,
} from './testing/runner-fixture.js'

let world: World
beforeEach(async () => {
  world = await createWorld()
  // As a data directory is that workspaces can be kept in.
  await chmod(world.directory, 0o711)
})
afterEach(async () => {
  await world[Symbol.asyncDispose]()
})

const place = { projectId, workspaceId, runnerId: pool }
const all = { ...inWorkspace, path: '', recursive: true, limit: 0, after: '' }

const eventsOf = async () => {
  const subject = workspaceSubject(workspaceId)
  const last = await world.store.store.last(subject)
  const events: { readonly type: string; readonly data: unknown }[] = []
  const range = { upToSequence: last?.sequence ?? 0 }
  for await (const { commit } of world.store.store.read(subject, range))
    events.push(...commit.events)
  return events
}
const countOf = async (type: string) =>
  (await eventsOf()).filter((event) => event.type === type).length

const readText = async (replica: Replica, path: string) => {
  const range = { offset: 1n, limit: 0, charOffset: 0n }
  const { page } = await replica.files.readFile({ ...inWorkspace, path, ...range })
  return page?.content
}

describe('placement › two replicas', () => {
  test('any of them answers: one owns the workspace, the other forwards', async () => {
    const one = await world.startReplica('one')
    const two = await world.startReplica('two')
    const write = {
      ...{ ...inWorkspace, effectKey: 'k1', path: 'a.txt', content: Buffer.from('a\n') },
      conflict: Conflict.CONFLICT_REJECT,
    }
    await one.files.writeFile(write)
    const executed = await two.run('cat a.txt; echo b > b.txt')
    expect(executed).toMatchObject({ stdoutPreview: 'a\n', createdFiles: ['b.txt'] })
    const [here, there] = await Promise.all([one.files.listFiles(all), two.files.listFiles(all)])
    expect(here).toEqual(there)
    expect(here.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt'])
    for (const replica of [one, two]) {
      expect((await outputOf(replica, executed.executionId)).toString()).toBe('a\n')
    }
    expect(await countOf('workspace.claimed')).toBe(1)
  })

  test('X-12: two asks with one key, at different replicas, do it once', async () => {
    const one = await world.startReplica('one')
    const two = await world.startReplica('two')
    const request = startRequest('echo once >> once.txt; cat once.txt')
    const answers = await Promise.all(
      [one, two].map(({ executions }) => executions.startExecution(request)),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]?.execution?.stdoutPreview).toBe('once\n')
    expect(await countOf('execution.started')).toBe(1)
  })

  test('an owner that stops gives the workspace back, and the next one restores it', async () => {
    const one = await world.startReplica('one')
    await one.run(
      'mkdir -p empty sub; echo "#!/bin/sh" > sub/run.sh; chmod 750 sub/run.sh; head -c 3000000 /dev/zero > large',
    )
    await one[Symbol.asyncDispose]()
    const two = await world.startReplica('two')
    const { stdoutPreview, effects } = await two.run(
      'stat -c "%a %n" empty sub/run.sh; stat -c %s large; ls -A',
    )
    expect(stdoutPreview).toBe('755 empty\n750 sub/run.sh\n3000000\nempty\nlarge\nsub\n')
    expect(effects).toHaveLength(1)
    expect((await eventsOf()).map(({ type }) => type)).toContain('workspace.released')
  })

  test('an idle owner gives the workspace back', async () => {
    const one = await world.startReplica('one', { sandbox: { idleReleaseMs: 100 } })
    await one.run('echo kept > kept.txt')
    await until('released', async () => (await countOf('workspace.released')) === 1)
    expect(await readText(one, 'kept.txt')).toBe('kept\n')
    expect(await countOf('workspace.claimed')).toBe(2)
  })
})

describe('placement › an owner that dies', () => {
  test('rule 8: the next claim settles its execution as unknown, and the zombie cannot commit', async () => {
    const { queue } = world.store.attach()
    const one = await world.startReplica('one', { ports: { queue: deafTo(queue) } })
    await one.run('echo committed > kept.txt')
    const { executionId } = await one.run('echo half > half.txt; sleep 3', { waitMs: 200 })
    const two = await world.startReplica('two')
    await queue[Symbol.asyncDispose]()
    await until('claimed again', async () => (await countOf('workspace.claimed')) === 2)
    const { execution } = await two.executions.waitExecution({ ...place, executionId, waitMs: 0 })
    expect(execution).toMatchObject({
      ...{ state: ExecutionState.EXECUTION_STATE_UNKNOWN, reason: 'owner_lost' },
      effects: [{ type: 'execution.completed' }],
    })
    expect(execution?.exitCode).toBeUndefined()
    const late = await two.run('ls; sleep 4')
    expect(late.stdoutPreview).toBe('kept.txt\n')
    const outcomes = (await eventsOf()).filter(
      ({ type, data }) =>
        type === 'execution.completed' && JSON.stringify(data).includes(`"${executionId}"`),
    )
    expect(outcomes).toHaveLength(1)
  })

  test('rule 8: given the same lease anew, a replica ends its own claim before it claims again', async () => {
    const { queue } = world.store.attach()
    const second = givenTwice(queue)
    const one = await world.startReplica('one', { ports: { queue: second.queue } })
    await one.run('echo committed > kept.txt')
    const { executionId } = await one.run('echo half > half.txt; exec sleep 617', { waitMs: 200 })
    second.give()
    const wait = { ...place, executionId, waitMs: 10_000 }
    await until('settled', async () => {
      const { execution } = await one.executions.waitExecution(wait)
      return execution?.state === ExecutionState.EXECUTION_STATE_UNKNOWN
    })
    expect(await commandLines()).not.toContain('sleep\u0000617')
    expect((await one.run('cat kept.txt')).stdoutPreview).toBe('committed\n')
    expect(await countOf('workspace.claimed')).toBe(2)
    expect(await countOf('execution.completed')).toBe(3)
  })

  test('a lost lease ends everything of the workspace at once', async () => {
    const { queue } = world.store.attach()
    const one = await world.startReplica('one', { ports: { queue } })
    const { executionId } = await one.run('sleep 616', { waitMs: 200 })
    const waiting = one.executions.waitExecution({ ...place, executionId, waitMs: 20_000 })
    const two = await world.startReplica('two')
    await queue[Symbol.asyncDispose]()
    const wait = { ...place, executionId, waitMs: 10_000 }
    await until('settled', async () => {
      const { execution } = await two.executions.waitExecution(wait)
      return execution?.state === ExecutionState.EXECUTION_STATE_UNKNOWN
    })
    await until('the tree is gone', async () => !(await commandLines()).includes('sleep\u0000616'))
    // Who waited at the owner before is told by the one that came after it.
    const { execution } = await waiting
    expect(execution?.state).toBe(ExecutionState.EXECUTION_STATE_UNKNOWN)
  })
})

describe('placement › a directory left on disk', () => {
  test('what changed in it behind the back of the platform is unknown', async () => {
    const one = await world.startReplica('one')
    await one.run('echo a > a.txt; echo b > b.txt')
    await one[Symbol.asyncDispose]()
    const files = join(world.directory, 'one', 'runner', 'w', workspaceId, 'files')
    await writeFile(join(files, 'a.txt'), 'changed\n')
    const again = await world.startReplica('one')
    expect(await readText(again, 'a.txt')).toBe('changed\n')
    const changes = (await eventsOf()).filter(({ type }) => type === 'workspace.changed')
    expect(changes.at(-1)?.data).toMatchObject({ origin: 'unknown', modified: 1, callId: '' })
  })

  test('one that is behind the last snapshot is restored, not taken for a change', async () => {
    const one = await world.startReplica('one')
    await one.run('echo old > a.txt')
    await one[Symbol.asyncDispose]()
    const two = await world.startReplica('two')
    await two.run('echo new > a.txt')
    await two[Symbol.asyncDispose]()
    const again = await world.startReplica('one')
    expect(await readText(again, 'a.txt')).toBe('new\n')
    expect(await countOf('workspace.changed')).toBe(2)
  })
})

/** A queue whose holder is never told that it lost a lease, like one that hangs. */
function deafTo(queue: WorkQueue): WorkQueue {
  return {
    offer: (...args) => queue.offer(...args),
    waiting: (name) => queue.waiting(name),
    take: async (name, signal): Promise<Lease | undefined> => {
      const lease = await queue.take(name, signal)
      if (!lease) return undefined
      const { id, payload, attempt } = lease
      const settle = {
        complete: () => lease.complete(),
        release: (ms?: number) => lease.release(ms),
      }
      return { id, payload, attempt, lost: new AbortController().signal, ...settle }
    },
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
}

/** A queue that gives the lease it gave first once more, as a server does that was not heard of in time. */
function givenTwice(queue: WorkQueue): { readonly queue: WorkQueue; give(): void } {
  const state: { first: Lease | undefined; give: () => void } = {
    first: undefined,
    give: () => undefined,
  }
  const again = new Promise<void>((resolve) => {
    state.give = resolve
  })
  const take = async (name: string, signal: AbortSignal): Promise<Lease | undefined> => {
    if (!state.first) {
      state.first = await queue.take(name, signal)
      return state.first
    }
    const { first } = state
    const stopped = new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => {
        resolve(undefined)
      })
    })
    return Promise.race([again.then(() => (given.has(first) ? stopped : copyOf(first))), stopped])
  }
  const given = new Set<Lease>()
  const copyOf = (lease: Lease): Lease => {
    given.add(lease)
    const { id, payload, attempt, lost } = lease
    const settle = {
      complete: () => lease.complete(),
      release: (ms?: number) => lease.release(ms),
    }
    return { id, payload, attempt: attempt + 1, lost, ...settle }
  }
  const watched: WorkQueue = {
    take,
    offer: (...args) => queue.offer(...args),
    waiting: (name) => queue.waiting(name),
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  }
  return {
    queue: watched,
    give: () => {
      state.give()
    },
  }
}
