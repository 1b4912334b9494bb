import { describe, expect, test } from 'vitest'
import { waitFor } from '@sciencediscovery/service-kit'
import { addRun, startStack, type StackFixture } from '../stack-fixture.js'
import type { PlayedRun } from '../played-run-fixture.js'
import { invoke, invokeAt } from '../scid-fixture.js'

const runId = 'r-3-00000000000000aa-default'
const usage = { modelTurns: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, unpricedTurns: 0 }

async function stackWithRun(): Promise<StackFixture & { run: PlayedRun }> {
  const stack = await startStack()
  const run = addRun(stack.world, runId)
  for (const type of ['run.started', 'model.turn.requested', 'model.turn.failed']) run.emit(type)
  return { ...stack, run }
}
const positions = (watch: ReturnType<typeof invokeAt>): number[] =>
  watch.events().map(({ position }) => position)

describe('scid watch', () => {
  test('--from N gives the events after N, then live ones, until the run ends', async () => {
    await using stack = await stackWithRun()
    const watch = invokeAt(stack, ['watch', runId, '--from', '2', '--json'])
    await waitFor(() => watch.events().length === 1)
    stack.run.emit('run.cancelled', { usage })
    expect(await watch.exit).toBe(130)
    expect(positions(watch)).toEqual([3, 4])
  })

  test('an ended run is shown whole, with the facts that came after its end', async () => {
    await using stack = await stackWithRun()
    stack.run.emit('run.completed', { usage })
    stack.run.emit('effect.recorded')
    const watch = invokeAt(stack, ['watch', runId, '--json'])
    expect(await watch.exit).toBe(0)
    expect(positions(watch)).toEqual([1, 2, 3, 4, 5])
  })

  test('--from beyond the end of an ended run prints nothing and still says how it ended', async () => {
    await using stack = await stackWithRun()
    stack.run.emit('run.completed', { usage })
    const watch = invokeAt(stack, ['watch', runId, '--from', '99', '--json'])
    expect(await watch.exit).toBe(0)
    expect(watch.stdout()).toBe('')
  })

  test('BR-069 events that a server repeats after a reconnection are shown once', async () => {
    await using stack = await stackWithRun()
    stack.run.fault = 'repeats'
    const watch = invokeAt(stack, ['watch', runId, '--json'])
    await waitFor(() => watch.events().length === 3)
    stack.run.dropWatchers()
    stack.run.emit('run.completed', { usage })
    expect(await watch.exit).toBe(0)
    expect(positions(watch)).toEqual([1, 2, 3, 4])
  })

  test('BR-069 an event that a server leaves out is asked for again', async () => {
    await using stack = await stackWithRun()
    stack.run.fault = 'skips once'
    stack.run.emit('run.completed', { usage })
    const watch = invokeAt(stack, ['watch', runId, '--json'])
    expect(await watch.exit).toBe(0)
    expect(positions(watch)).toEqual([1, 2, 3, 4])
  })

  test('Ctrl-C leaves the run alone', async () => {
    await using stack = await stackWithRun()
    const watch = invokeAt(stack, ['watch', runId])
    await waitFor(() => watch.stdout().includes('   3 '))
    watch.interrupt()
    expect(await watch.exit).toBe(130)
    expect(stack.asked('stopRun')).toEqual([])
    expect(watch.stderr()).toContain(`scid watch ${runId} --from 3`)
  })

  test('a stack that stays away is given up with the way to go on', async () => {
    await using stack = await stackWithRun()
    const watch = invokeAt(stack, ['watch', runId, '--json'], { patience: { reconnectMs: 50 } })
    await waitFor(() => watch.events().length === 3)
    await stack[Symbol.asyncDispose]()
    expect(await watch.exit).toBe(1)
    expect(watch.stderr()).toContain(`go on with 'scid watch ${runId} --from 3'`)
  })

  test('a stack that was never there is exit 1 at once', async () => {
    const watch = invoke(['watch', runId, '--server', '127.0.0.1:1'], {
      patience: { reconnectMs: 60_000 },
    })
    expect(await watch.exit).toBe(1)
    expect(watch.stderr()).toBe(
      "scid: nothing answers at 127.0.0.1:1 (--server) -- check the address, or start a stack with 'scid up'\n",
    )
  })

  test('an unknown run is exit 1 with a message of one line', async () => {
    await using stack = await startStack()
    const watch = invokeAt(stack, ['watch', 'r-0-00000000000000ee-default'])
    expect(await watch.exit).toBe(1)
    expect(watch.stderr()).toBe('scid: run r-0-00000000000000ee-default not found\n')
  })

  test.each(['-1', 'x', '1.5', ''])('--from %j is exit 2', async (from) => {
    await using stack = await startStack()
    const watch = invokeAt(stack, ['watch', runId, `--from=${from}`])
    expect(await watch.exit).toBe(2)
    expect(watch.stderr()).toContain('--from')
  })
})
