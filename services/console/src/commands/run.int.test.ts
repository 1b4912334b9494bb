import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { waitFor } from '@sciencediscovery/service-kit'
import { startStack } from '../stack-fixture.js'
import type { Play } from '../world-fixture.js'
import { knownSession } from '../stack-fixture-runs.js'
import { invokeAt } from '../scid-fixture.js'

const usage = { modelTurns: 1, inputTokens: 5, outputTokens: 7, costUsd: 0.25, unpricedTurns: 0 }
const terminal = (): PassThrough => Object.assign(new PassThrough(), { isTTY: true })
const textOf = (stream: PassThrough): (() => string) => {
  const pieces: Buffer[] = []
  stream.on('data', (piece: Buffer) => pieces.push(piece))
  return () => Buffer.concat(pieces).toString()
}

const answers: Play = (run) => {
  run.emit('run.started', { goal: 'count' }, 'count the sequences')
  run.emit('model.turn.requested', { turn: 1 })
  run.emit(
    'model.turn.completed',
    { turn: 1, text: 'There are 94.', toolCalls: [] },
    'the model answered',
  )
  run.emit('run.completed', { usage }, 'completed')
  return Promise.resolve()
}
const positions = (events: readonly { position: number }[]): number[] =>
  events.map(({ position }) => position)

describe('scid run', () => {
  test('--json prints one event per line on stdout and nothing else there, and exits 0', async () => {
    await using stack = await startStack(answers)
    const run = invokeAt(stack, ['run', 'count the sequences', '--json'])
    expect(await run.exit).toBe(0)
    expect(run.events().map(({ position, type }) => [position, type])).toEqual([
      [1, 'run.started'],
      [2, 'model.turn.requested'],
      [3, 'model.turn.completed'],
      [4, 'run.completed'],
    ])
    expect(run.stdout()).toMatch(
      /^\{"stream":.*,"position":1,"type":.*,"time":.*,"summary":.*,"data":\{/,
    )
    expect(run.events()[0]).toMatchObject({
      stream: 'runs/r-0-0000000000000000-default',
      data: { goal: 'count' },
    })
    expect(run.stderr()).toContain('run r-0-0000000000000000-default in session s-')
  })

  test('hands over the task to a new session of project default', async () => {
    await using stack = await startStack(answers)
    await invokeAt(stack, [
      'run',
      'count  the\nsequences',
      '--model',
      'openai:gpt-x',
      '--profile',
      'harness',
    ]).exit
    const [created] = stack.asked('createSession')
    expect(created).toMatchObject({
      projectId: 'default',
      settings: {
        title: 'count the sequences',
        profile: 'harness',
        model: 'openai:gpt-x',
        approvalMode: 1,
      },
    })
    expect(stack.asked('startRun')).toMatchObject([
      { message: 'count  the\nsequences', model: 'openai:gpt-x' },
    ])
  })

  test('for people there is a line per event, the answer once, and what it cost', async () => {
    await using stack = await startStack(answers)
    const run = invokeAt(stack, ['run', 'count'])
    expect(await run.exit).toBe(0)
    expect(run.stdout()).toBe(
      '   1 count the sequences\n   2 model.turn.requested\n   3 the model answered\n' +
        '\nThere are 94.\n\n   4 completed\n     1 model turn · 5 tokens in · 7 out · $0.2500\n',
    )
  })

  test('what a model or tool says cannot steer the terminal', async () => {
    await using stack = await startStack((run) => {
      run.emit(
        'model.turn.completed',
        { text: 'a\x1b]0;owned\x07\u202eb', toolCalls: [] },
        'said \x1b[2J',
      )
      run.emit('run.completed', { usage })
      return Promise.resolve()
    })
    const run = invokeAt(stack, ['run', 'x'])
    await run.exit
    expect(run.stdout()).toContain('said \\x1b[2J')
    expect(run.stdout()).toContain('a\\x1b]0;owned\\x07\\u{202e}b')
    expect(run.stdout()).not.toContain('\x1b')
  })

  test('on a terminal the words come live and are not printed again', async () => {
    await using stack = await startStack(async (run) => {
      await waitFor(() => run.watchers() === 1)
      run.emit('model.turn.requested')
      run.live('text', 'There ')
      run.live('text', 'are 94.')
      run.live('output', 'from a tool')
      await waitFor(() => text().includes('from a tool'))
      run.emit('model.turn.completed', { text: 'There are 94.', toolCalls: [] }, 'answered')
      run.emit('run.completed', { usage })
    })
    const stdout = terminal()
    const text = textOf(stdout)
    const run = invokeAt(stack, ['run', 'x'], { stdout, env: { NO_COLOR: '1' } })
    expect(await run.exit).toBe(0)
    expect(text()).toContain('There are 94.\nfrom a tool\n')
    expect(text()).toContain('   2 answered\n   3 run.completed\n')
    expect(text().match(/There are 94\./g)).toHaveLength(1)
  })

  test('a run that failed is exit 1', async () => {
    await using stack = await startStack((run) => {
      run.emit(
        'run.failed',
        { reason: 'script_exhausted', message: 'no turn 2', usage },
        'failed: script_exhausted',
      )
      return Promise.resolve()
    })
    const run = invokeAt(stack, ['run', 'x'])
    expect(await run.exit).toBe(1)
    expect(run.stdout()).toContain('failed: script_exhausted')
  })

  test('BR-069 connections that break twice cost no event and double none', async () => {
    await using stack = await startStack(async (run) => {
      for (let round = 0; round < 3; round += 1) {
        await waitFor(() => stack.asked('watchRun').length === round + 1 && run.watchers() === 1)
        run.emit('tool.call.requested')
        run.emit('tool.call.completed', { callId: 'c', isError: false })
        if (round < 2) run.dropWatchers()
      }
      run.emit('run.completed', { usage })
    })
    const run = invokeAt(stack, ['run', 'x', '--json'])
    expect(await run.exit).toBe(0)
    expect(positions(run.events())).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(stack.asked('watchRun')).toHaveLength(3)
  })

  test('BR-069 a server that goes away and comes back costs no event and doubles none', async () => {
    await using stack = await startStack(async (run) => {
      run.emit('run.started')
      await waitFor(() => invocation.events().length === 1)
      const restarted = stack.restart()
      run.emit('tool.call.requested')
      await restarted
      run.emit('run.completed', { usage })
    })
    const invocation = invokeAt(stack, ['run', 'x', '--json'])
    expect(await invocation.exit).toBe(0)
    expect(positions(invocation.events())).toEqual([1, 2, 3])
  })

  test('a session that exists is used, and only what was asked for is changed', async () => {
    await using stack = await startStack(answers)
    await invokeAt(stack, ['run', 'x', '--session', knownSession]).exit
    expect(stack.asked('updateSession')).toEqual([])
    await invokeAt(stack, ['run', 'x', '--session', knownSession, '--approve', 'always']).exit
    expect(stack.asked('createSession')).toEqual([])
    expect(stack.asked('updateSession')).toMatchObject([
      {
        sessionId: knownSession,
        settings: { approvalMode: 2, title: 'orchids', skills: ['fasta'] },
      },
    ])
    expect(stack.asked('startRun')).toMatchObject([
      { sessionId: knownSession },
      { sessionId: knownSession },
    ])
  })

  test('an unknown session is exit 1 and named', async () => {
    await using stack = await startStack(answers)
    const run = invokeAt(stack, ['run', 'x', '--session', 's-00000000000000ff-default'])
    expect(await run.exit).toBe(1)
    expect(run.stderr()).toBe('scid: session s-00000000000000ff-default not found\n')
  })

  test('an unknown token is exit 1 and says where the token goes', async () => {
    await using stack = await startStack(answers)
    const run = invokeAt(stack, ['run', 'x'], { env: { SCIENCE_DISCOVERY_TOKEN: 'wrong' } })
    expect(await run.exit).toBe(1)
    expect(run.stderr()).toContain('set SCIENCE_DISCOVERY_TOKEN')
  })
})

describe('scid run › interrupted', () => {
  test('Ctrl-C stops the run and exits 130 when it ended cancelled', async () => {
    await using stack = await startStack(async (run) => {
      run.emit('run.started')
      await run.stopAsked()
      run.emit('run.cancel.requested')
      run.emit('run.cancelled', { usage })
    })
    const run = invokeAt(stack, ['run', 'x', '--json'])
    await waitFor(() => run.events().length === 1)
    run.interrupt()
    expect(await run.exit).toBe(130)
    expect(run.events().at(-1)?.type).toBe('run.cancelled')
    expect(stack.asked('stopRun')).toMatchObject([{ reason: 'interrupted at the terminal' }])
  })

  test('a second Ctrl-C leaves at once and says how to go on', async () => {
    await using stack = await startStack((run) => {
      run.emit('run.started')
      return Promise.resolve()
    })
    const run = invokeAt(stack, ['run', 'x', '--json'])
    await waitFor(() => run.events().length === 1)
    run.interrupt()
    await run.said('stopping the run')
    run.interrupt()
    expect(await run.exit).toBe(130)
    expect(run.stderr()).toContain('scid watch r-0-0000000000000000-default --from 1')
  })

  test('when nobody reads stdout any more it leaves without a trace of the pipe', async () => {
    await using stack = await startStack((run) => {
      run.emit('run.started')
      return Promise.resolve()
    })
    const run = invokeAt(stack, ['run', 'x', '--json'])
    await waitFor(() => run.events().length === 1)
    run.closeStdout()
    expect(await run.exit).toBe(1)
    expect(run.stderr()).toContain('nobody reads the output any more; the run is kept')
    expect(run.stderr()).not.toContain('EPIPE')
  })
})
