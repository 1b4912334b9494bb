import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EventLine, type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

async function script(name: string, content: unknown): Promise<string> {
  const file = join(stack.dataDir, `${name}.json`)
  await writeFile(file, JSON.stringify(content))
  return `scripted:${file}`
}

const shell = (id: string, command: string) => ({
  id,
  name: 'run_shell',
  arguments: { command, wait_ms: 30_000 },
})
const typed = (events: readonly EventLine[], type: string) =>
  events.filter((event) => event.type === type)

describe('a task with a shell', () => {
  test('runs to its end; positions are dense and the exit code says completed', async () => {
    const model = await script('two-steps', {
      turns: [
        { text: 'first', toolCalls: [shell('s1', 'echo hi > a.txt; cat a.txt')] },
        { text: 'second', toolCalls: [shell('s2', 'cat a.txt > b.txt; exit 3')] },
        { text: 'done' },
      ],
    })
    const run = await stack.scid('run', 'go', '--model', model, '--approve', 'always', '--json')
    expect(run.code).toBe(0)
    const events = eventsOf(run)
    expect(events.map((event) => event.position)).toEqual(events.map((_, at) => at + 1))
    expect(events[0]?.type).toBe('run.started')
    expect(events.at(-1)?.type).toBe('run.completed')
    const [first, second] = typed(events, 'tool.call.completed')
    expect(first?.data).toMatchObject({
      isError: false,
      details: { execution: { exitCode: 0, createdFiles: ['a.txt'] } },
    })
    expect(second?.data).toMatchObject({
      isError: true,
      details: { execution: { exitCode: 3, state: 'failed', createdFiles: ['b.txt'] } },
    })
  })

  test('one decision is one commit: an execution, its changes and the end of its call come together', async () => {
    const model = await script('one-step', {
      turns: [{ text: '', toolCalls: [shell('s1', 'echo 1 > x')] }, { text: 'done' }],
    })
    const events = eventsOf(
      await stack.scid('run', 'go', '--model', model, '--approve', 'always', '--json'),
    )
    const together = events.filter((event) =>
      ['execution.completed', 'workspace.changed', 'tool.call.completed'].includes(event.type),
    )
    expect(together.map((event) => event.type)).toEqual([
      'execution.completed',
      'workspace.changed',
      'tool.call.completed',
    ])
    expect(new Set(together.map((event) => event.time)).size).toBe(1)
  })

  test('X-10: a denied call is told to the model, and nothing was run', async () => {
    const model = await script('denied', {
      turns: [{ text: '', toolCalls: [shell('s1', 'echo no > no.txt')] }, { text: 'then not' }],
    })
    const run = await stack.scid('run', 'go', '--model', model, '--approve', 'deny', '--json')
    expect(run.code).toBe(0)
    const events = eventsOf(run)
    expect(typed(events, 'tool.call.blocked')).toHaveLength(1)
    expect(typed(events, 'tool.call.completed')[0]?.data).toMatchObject({
      isError: true,
      details: { error: { code: 'PERMISSION_DENIED' } },
    })
    expect(typed(events, 'execution.completed')).toHaveLength(0)
  })

  test('BR-059: arguments that do not parse are refused, kept exactly, and the run goes on', async () => {
    const model = await script('comma', {
      turns: [
        {
          text: '',
          toolCalls: [{ id: 'c1', name: 'read_file', arguments: '{"path": "notes.md",}' }],
        },
        { text: 'done' },
      ],
    })
    const events = eventsOf(
      await stack.scid('run', 'go', '--model', model, '--approve', 'always', '--json'),
    )
    expect(typed(events, 'model.turn.completed')[0]?.data).toMatchObject({
      toolCalls: [{ argumentsText: '{"path": "notes.md",}' }],
    })
    expect(typed(events, 'tool.call.completed')[0]?.data).toMatchObject({
      isError: true,
      details: { error: { code: 'INVALID_TOOL_ARGUMENTS', retryable: true } },
    })
    expect(events.at(-1)?.type).toBe('run.completed')
  })

  test('a script that ends too early fails the run and says so', async () => {
    const model = await script('short', { turns: [{ text: '', toolCalls: [shell('s1', 'true')] }] })
    const run = await stack.scid('run', 'go', '--model', model, '--approve', 'always', '--json')
    expect(run.code).toBe(1)
    expect(eventsOf(run).at(-1)).toMatchObject({
      type: 'run.failed',
      data: { reason: 'script_exhausted' },
    })
  })

  test('a model that fails twice is asked three times, counted in events', async () => {
    const model = await script('flaky', {
      turns: [{ text: 'answer', fail: { status: 503, times: 2 } }],
    })
    const events = eventsOf(await stack.scid('run', 'go', '--model', model, '--json'))
    expect(typed(events, 'model.turn.failed')).toHaveLength(2)
    expect(typed(events, 'model.turn.requested').map((event) => event.data.attempt)).toEqual([
      1, 2, 3,
    ])
    expect(events.at(-1)?.type).toBe('run.completed')
  })

  test('two runs of one session share the workspace and go on in the script', async () => {
    const turns = [
      { text: '', toolCalls: [shell('s1', 'echo one > kept.txt')] },
      { text: 'first answer' },
      { text: '', toolCalls: [shell('s2', 'cat kept.txt')] },
      { text: 'second answer' },
    ]
    const model = await script('session', { turns })
    const first = eventsOf(
      await stack.scid('run', 'one', '--model', model, '--approve', 'always', '--json'),
    )
    const session = String(first[0]?.data.sessionId)
    const second = eventsOf(
      await stack.scid('run', 'two', '--session', session, '--model', model, '--json'),
    )
    expect(second[0]?.data).toMatchObject({ sessionId: session, turnsBefore: 2 })
    expect(typed(second, 'tool.call.completed')[0]?.data).toMatchObject({
      details: { execution: { stdout: 'one\n' } },
    })
  })

  test('a watcher that comes late sees every event once, from where it asks', async () => {
    const model = await script('watched', {
      turns: [{ text: '', toolCalls: [shell('s1', 'true')] }, { text: 'done' }],
    })
    const events = eventsOf(
      await stack.scid('run', 'go', '--model', model, '--approve', 'always', '--json'),
    )
    const runId = String(events[0]?.data.runId)
    expect(eventsOf(await stack.scid('watch', runId, '--json'))).toEqual(events)
    expect(eventsOf(await stack.scid('watch', runId, '--json', '--from', '3'))).toEqual(
      events.slice(3),
    )
    const beyond = await stack.scid('watch', runId, '--json', '--from', '9999')
    expect(beyond.code).not.toBe(0)
    expect(beyond.stderr).toContain('start over')
    expect((await stack.scid('watch', 'r-0-0000000000000000-default', '--json')).code).toBe(1)
  })
})
