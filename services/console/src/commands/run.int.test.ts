import { describe, expect, test } from 'vitest'
import { startStack, type Play } from '../stack-fixture.js'
import { invokeAt } from '../scid-fixture.js'

const usage = { modelTurns: 1, inputTokens: 5, outputTokens: 7, costUsd: 0.25, unpricedTurns: 0 }

const answers: Play = (run) => {
  run.emit('run.started', { goal: 'count' }, 'count the sequences')
  run.emit('model.turn.requested', { turn: 1 })
  run.emit('model.turn.completed', { turn: 1, text: 'There are 94.', toolCalls: [] }, 'the model answered')
  run.emit('run.completed', { usage }, 'completed')
  return Promise.resolve()
}

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
    expect(Object.keys(run.events()[0] ?? {})).toEqual(['stream', 'position', 'type', 'time', 'summary', 'data'])
    expect(run.events()[0]).toMatchObject({ stream: 'runs/r-0-0000000000000000-default', data: { goal: 'count' } })
    expect(run.stderr()).toContain('run r-0-0000000000000000-default in session s-')
  })
})
