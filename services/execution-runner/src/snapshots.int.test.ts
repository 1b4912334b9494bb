import { ExecutionCompletedSchema } from '@sciencediscovery/run-events'
import { type Execution } from '@sciencediscovery/proto-gen/executions/v1/executions'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTree } from './adapters/snapshots/tree.js'
import { createWorld, outputOf, type Replica, type World } from './testing/runner-fixture.js'

let world: World
let replica: Replica
beforeAll(async () => {
  world = await createWorld()
  replica = await world.startReplica('one')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

function completedOf({ effects }: Execution) {
  const effect = effects.find(({ type }) => type === 'execution.completed')
  const { type, version, dataJson } = effect ?? { type: '', version: 0, dataJson: 'null' }
  return ExecutionCompletedSchema.parse({ type, v: version, data: JSON.parse(dataJson) }).data
}

describe('snapshot', () => {
  test('a name that is no UTF-8 is named as not kept, once', async () => {
    const made = await replica.run(
      "touch $'bad\\xff.txt' $'good\\ufffd.txt'; mkdir d; touch $'d/\\xe9'",
    )
    expect(made.createdFiles).toEqual(['good\ufffd.txt'])
    expect([...made.skippedFiles].sort()).toEqual([
      'bad\\xff.txt (its name is not UTF-8)',
      'd/\\xe9 (its name is not UTF-8)',
    ])
    expect(made.skippedTotal).toBe(2)
    expect((await replica.run('ls')).skippedTotal).toBe(0)
  })

  test('links and special files are named as not kept', async () => {
    const { skippedFiles } = await replica.run('ln -s /etc/passwd leak; mkfifo pipe')
    expect(skippedFiles).toEqual(['leak (symbolic link)', 'pipe (special file)'])
    const many = await replica.run('for n in $(seq 50); do ln -s x link$n; done')
    expect([many.skippedFiles.length, many.skippedTotal]).toEqual([20, 50])
    await replica.run('rm -rf leak pipe link* d good* bad*')
  })

  test('possible inputs of a large workspace are its tree; what was read or changed is listed', async () => {
    await replica.run('mkdir in; for n in $(seq 500); do echo $n > in/$n; done')
    const ran = completedOf(
      await replica.run('cat in/7; echo x >> in/8; rm in/9', { declaredInputs: ['in/10'] }),
    )
    expect(
      'items' in ran.inputs && ran.inputs.items.map(({ path, evidence }) => [path, evidence]),
    ).toEqual([
      ['in/10', 'declared'],
      ['in/7', 'observed'],
      ['in/8', 'possible'],
      ['in/9', 'possible'],
    ])
    expect(ran.possibleInputs?.count).toBe(496)
    const entries = await readTree(world.blobs, ran.possibleInputs?.tree ?? null)
    expect(entries.filter(([, , , digest]) => digest !== undefined)).toHaveLength(500)
    await replica.run('rm -r in')
  })

  test('large files are stored as they are, and again when they change', async () => {
    const { createdFiles } = await replica.run(
      'head -c 5000000 /dev/urandom > one; cp one two; head -c 3000000 one > three; sha256sum one two three > sums',
    )
    expect(createdFiles).toEqual(['one', 'sums', 'three', 'two'])
    const changed = await replica.run(
      'printf x | dd of=two bs=1 seek=7 conv=notrunc; head -c 9 one >> three',
    )
    expect(changed.modifiedFiles).toEqual(['three', 'two'])
    await replica.run('sha256sum one two three > sums')
    await replica[Symbol.asyncDispose]()
    const other = await world.startReplica('two')
    expect(await other.run('sha256sum -c sums')).toMatchObject({ exitCode: 0 })
    replica = other
  })
})

describe('output › long', () => {
  test('architecture 6: of an owner that is lost there is what was recorded while it ran', async () => {
    const first = await world.startReplica('lost')
    await replica[Symbol.asyncDispose]()
    const command = 'yes 0123456789 | head -c 100000000; echo tail >&2; sleep 600'
    const { executionId } = await first.run(command, { waitMs: 0 })
    const place = { projectId: 'p1', workspaceId: 'w-local-0123456789abcdef-p1', runnerId: 'local' }
    const { store } = world.store
    const subject = `workspaces.p1.${place.workspaceId}`
    await until('a part is recorded', async () => {
      const upToSequence = (await store.last(subject))?.sequence ?? 0
      for await (const { commit } of store.read(subject, { upToSequence }))
        if (commit.events.some(({ type }) => type === 'execution.output.recorded')) return true
      return false
    })
    await first[Symbol.asyncDispose]()
    const second = await world.startReplica('next')
    const { execution } = await second.executions.waitExecution({
      ...place,
      executionId,
      waitMs: 20_000,
    })
    expect(execution).toMatchObject({ reason: 'owner_lost' })
    const kept = await outputOf(second, executionId)
    expect(kept.length).toBeGreaterThanOrEqual(64 * 1024 ** 2)
    expect(kept.subarray(0, 22).toString()).toBe('0123456789\n0123456789\n')
    const log = await second.executions.readLog({
      ...place,
      executionId,
      cursor: 0n,
      limit: 0,
      byLine: true,
    })
    expect(log.chunks[0]?.text).toBe('0123456789\n')
  })
})
