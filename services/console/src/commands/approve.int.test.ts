import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { waitFor } from '@sciencediscovery/service-kit'
import { addRun, startStack } from '../stack-fixture.js'
import type { Play } from '../world-fixture.js'
import { invoke, invokeAt } from '../scid-fixture.js'

const usage = { modelTurns: 1, inputTokens: 0, outputTokens: 0, costUsd: 0, unpricedTurns: 0 }
const blocked = {
  callId: 'c1',
  requestId: 'q1',
  action: 'code',
  resource: 'workspace-code',
  summary: 'run_shell: rm \x1b[2J',
}
const runId = 'r-0-0000000000000000-default'

/** Asks once and says in its end what was decided. */
const asksOnce: Play = async (run) => {
  run.emit('tool.call.blocked', blocked)
  const decision = await run.decided('q1')
  if (decision !== 3) run.emit('tool.call.released', { callId: 'c1' })
  run.emit('run.completed', { usage }, `decision ${decision}`)
}
const lastSummary = (run: ReturnType<typeof invoke>): string | undefined =>
  run.events().at(-1)?.summary

describe('permission requests', () => {
  test('--approve deny answers every request with deny', async () => {
    await using stack = await startStack(asksOnce)
    const run = invokeAt(stack, ['run', 'x', '--approve', 'deny', '--json'])
    expect(await run.exit).toBe(0)
    expect(lastSummary(run)).toBe('decision 3')
    expect(stack.asked('createSession')).toMatchObject([{ settings: { approvalMode: 1 } }])
  })

  test('--approve always sets the mode of the session', async () => {
    await using stack = await startStack((run) => {
      run.emit('run.completed', { usage })
      return Promise.resolve()
    })
    expect(await invokeAt(stack, ['run', 'x', '--approve', 'always']).exit).toBe(0)
    expect(stack.asked('createSession')).toMatchObject([{ settings: { approvalMode: 2 } }])
  })

  test('without a terminal the request is one line on stderr and scid approve decides it', async () => {
    await using stack = await startStack(asksOnce)
    const run = invokeAt(stack, ['run', 'x', '--json'])
    await run.said('permission needed')
    expect(run.stderr().split('\n')).toContain(
      'permission needed: run_shell: rm \\x1b[2J (code: workspace-code) -- ' +
        `scid approve ${runId} q1 --once|--matching|--deny`,
    )
    const approve = invokeAt(stack, ['approve', runId, 'q1', '--matching'])
    expect(await approve.exit).toBe(0)
    expect(approve.stdout()).toBe('allowed: run_shell\n')
    expect(await run.exit).toBe(0)
    expect(lastSummary(run)).toBe('decision 2')
  })

  test('on a terminal a question is asked and the answer is sent', async () => {
    await using stack = await startStack(asksOnce)
    const { stdin, stderr, shown } = terminal()
    const run = invokeAt(stack, ['run', 'x', '--json'], { stdin, stderr })
    await waitFor(() => shown().includes('Allow this call'))
    expect(shown()).toContain('rm \\x1b[2J')
    stdin.write('\x1b[B')
    stdin.write('\x1b[B')
    stdin.write('\r')
    expect(await run.exit).toBe(0)
    expect(lastSummary(run)).toBe('decision 3')
  })

  test('a question that was answered elsewhere goes away', async () => {
    await using stack = await startStack(asksOnce)
    const { stdin, stderr, shown } = terminal()
    const run = invokeAt(stack, ['run', 'x', '--json'], { stdin, stderr })
    await waitFor(() => shown().includes('Allow this call'))
    expect(await invokeAt(stack, ['approve', runId, 'q1', '--once']).exit).toBe(0)
    expect(await run.exit).toBe(0)
    expect(stack.asked('decidePermission')).toHaveLength(1)
  })

  test('Ctrl-C at the question stops the run', async () => {
    await using stack = await startStack(async (run) => {
      run.emit('tool.call.blocked', blocked)
      await run.stopAsked()
      run.emit('run.cancelled', { usage })
    })
    const { stdin, stderr, shown } = terminal()
    const run = invokeAt(stack, ['run', 'x', '--json'], { stdin, stderr })
    await waitFor(() => shown().includes('Allow this call'))
    stdin.write('\x03')
    expect(await run.exit).toBe(130)
    expect(stack.asked('decidePermission')).toEqual([])
  })

  test.each([
    [['--once', '--deny'], 'more than one decision'],
    [[], 'no decision is given'],
  ])('scid approve with %j is used wrongly', async (flags, problem) => {
    const approve = invoke(['approve', runId, 'q1', ...flags])
    expect(await approve.exit).toBe(2)
    expect(approve.stderr()).toContain(problem)
  })

  test('an unknown run is exit 1', async () => {
    await using stack = await startStack()
    addRun(stack.world, 'r-0-00000000000000ff-default')
    const approve = invokeAt(stack, ['approve', runId, 'q1', '--once'])
    expect(await approve.exit).toBe(1)
    expect(approve.stderr()).toBe(`scid: run ${runId} not found\n`)
  })
})

function terminal(): { stdin: PassThrough; stderr: PassThrough; shown: () => string } {
  const pieces: Buffer[] = []
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 30 })
  stderr.on('data', (piece: Buffer) => pieces.push(piece))
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  return { stdin, stderr, shown: () => Buffer.concat(pieces).toString() }
}
