import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RunServiceService } from '@sciencediscovery/proto-gen/runs/v1/runs_service'
import { rpcClient } from '@sciencediscovery/service-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listedRun } from '../harness/story.js'
import { withEnvironment } from '../harness/environment.js'
import { type EventLine, type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'
import {
  type ModelService,
  anthropicTurn,
  openAiTurn,
  startModelService,
} from '../harness/model-service.js'

const keys = { openai: 'sk-canary-openai-51f0', anthropic: 'sk-ant-canary-93ab' }
const shellOf = (id: string, command: string) => ({
  ...{ id, name: 'run_shell' },
  arguments: JSON.stringify({ command, wait_ms: 30_000 }),
})
const write = (id: string) => shellOf(id, 'echo counted >> reads.txt; cat reads.txt')
const busy = { status: 503, pieces: ['{"error":{"message":"overloaded"}}'] }

let openai: ModelService
let anthropic: ModelService
let environment: Disposable
let stack: TestStack
beforeAll(async () => {
  openai = await startModelService([
    // A task with two turns that use the same call id.
    { pieces: openAiTurn(['I will ', 'count.'], [write('call_0')]) },
    { pieces: openAiTurn([], [write('call_0')]) },
    { pieces: openAiTurn(['Two ', 'lines.']) },
    // A further message in the same session: refused once, then answered.
    busy,
    { pieces: openAiTurn(['Still two.']) },
    // An answer that breaks off.
    { pieces: openAiTurn(['broken ', 'off']).slice(0, 1), cut: true },
    // A refusal that repeats the key.
    { status: 401, pieces: [JSON.stringify({ error: { message: `bad key ${keys.openai}` } })] },
  ])
  anthropic = await startModelService([
    { pieces: anthropicTurn(['Let me ', 'see.'], [write('toolu_1')]) },
    { pieces: anthropicTurn(['One line.']) },
  ])
  environment = withEnvironment({
    ...{ OPENAI_API_KEY: keys.openai, OPENAI_BASE_URL: `${openai.url}/v1` },
    ...{ ANTHROPIC_API_KEY: keys.anthropic, ANTHROPIC_BASE_URL: `${anthropic.url}/v1` },
  })
  stack = await startTestStack()
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  environment[Symbol.dispose]()
  await openai[Symbol.asyncDispose]()
  await anthropic[Symbol.asyncDispose]()
})

async function run(task: string, ...options: readonly string[]) {
  const outcome = await stack.scid('run', task, '--approve', 'always', '--json', ...options)
  return { ...outcome, events: eventsOf(outcome) }
}

const typed = (events: readonly EventLine[], type: string): readonly EventLine[] =>
  events.filter((event) => event.type === type)

describe('a task with an OpenAI-compatible model', () => {
  test('runs its tools; the same call id in two turns is two effects; usage and cost add up', async () => {
    const { code, events, stderr } = await run('count twice', '--model', 'openai:gpt-5.5')
    expect(code, stderr).toBe(0)
    const results = typed(events, 'tool.call.completed')
    expect(results.map(({ data }) => data.details)).toMatchObject([
      { execution: { stdout: 'counted\n' } },
      { execution: { stdout: 'counted\ncounted\n' } },
    ])
    const turns = typed(events, 'model.turn.completed')
    expect(turns.map(({ data }) => [data.inputTokens, data.outputTokens])).toEqual([
      [1000, 100],
      [1000, 100],
      [1000, 100],
    ])
    const usage = { modelTurns: 3, inputTokens: 3000, outputTokens: 300 }
    expect(events.at(-1)?.data).toMatchObject({ usage })
    const cost = turns.reduce((sum, { data }) => sum + Number(data.costUsd), 0)
    expect(cost).toBeGreaterThan(0)
    expect(events.at(-1)?.data.usage).toMatchObject({ costUsd: expect.closeTo(cost, 9) })
    expect(turns[0]?.data).toMatchObject({ text: 'I will count.' })
    const answered: unknown = JSON.parse(openai.requests[1]?.body ?? '')
    expect(JSON.stringify(answered)).toContain('counted')
  })

  test('a further message: the whole conversation is sent, a 503 is retried as events', async () => {
    const sessions = await stack.scid('sessions', '--json')
    const [sessionId = ''] = /s-[0-9a-f]{16}-default/.exec(sessions.stdout) ?? []
    const { events, code } = await run(
      ...(['still?', '--session', sessionId, '--model', 'openai:gpt-5.5'] as const),
    )
    expect(code).toBe(0)
    expect(typed(events, 'model.turn.failed').map(({ data }) => data.retryable)).toEqual([true])
    expect(typed(events, 'model.turn.requested').map(({ data }) => data.attempt)).toEqual([1, 2])
    const body = openai.requests[4]?.body ?? ''
    for (const said of ['count twice', 'I will count.', 'Two lines.', 'still?'])
      expect(body).toContain(said)
    expect(openai.requests[3]?.body).toBe(body)
  })

  test('an answer that breaks off after its first byte is neither taken as the answer nor asked for again', async () => {
    const { events, code } = await run('break', '--model', 'openai:gpt-5.5')
    expect(code).toBe(1)
    expect(typed(events, 'model.turn.completed')).toHaveLength(0)
    expect(typed(events, 'model.turn.failed').map(({ data }) => data.retryable)).toEqual([false])
    expect(events.at(-1)?.type).toBe('run.failed')
    expect(openai.requests).toHaveLength(6)
  })
})

describe('a task with an Anthropic model', () => {
  test('runs its tools, with usage and cost; live pieces reach a watcher who wants them, and no event', async () => {
    const live: string[] = []
    const outcome = run('count once', '--model', 'anthropic:claude-opus-5-5')
    const { runId } = await listedRun(stack, 'count once')
    const runs = rpcClient(RunServiceService, stack.channel)
    const watched: string[] = []
    for await (const { item } of runs.watchRun({ runId, afterPosition: 0n, includeLive: true })) {
      if (item?.$case === 'live') live.push(`${item.value.kind}: ${item.value.text}`)
      else if (item) watched.push(item.value.type)
    }
    const { events, code, stdout } = await outcome
    expect(code).toBe(0)
    expect(watched).toEqual(events.map(({ type }) => type))
    expect(live.join('\n')).toMatch(/text: |output: /)
    expect(stdout).not.toContain('"kind":"text"')
    expect(events.at(-1)?.data).toMatchObject({
      usage: { modelTurns: 2, inputTokens: 2000, outputTokens: 200, unpricedTurns: 0 },
    })
    expect(typed(events, 'tool.call.completed')[0]?.data).toMatchObject({
      details: { execution: { stdout: 'counted\n' } },
    })
    expect(JSON.stringify(anthropic.requests[0]?.headers)).toContain(keys.anthropic)
  })
})

describe('the keys of the models', () => {
  test('BR-031: are in no event, error or file, also when a service repeats them', async () => {
    const { events, code, stderr, stdout } = await run('be refused', '--model', 'openai:gpt-5.5')
    expect(code).toBe(1)
    expect(events.at(-1)?.type).toBe('run.failed')
    const doctor = await stack.scid('doctor', '--json')
    const said = [stdout, stderr, doctor.stdout, doctor.stderr].join('\n')
    for (const key of Object.values(keys)) expect(said).not.toContain(key)
    for (const file of await filesBelow(stack.dataDir)) {
      const content = await readFile(file).catch(() => Buffer.alloc(0))
      for (const key of Object.values(keys)) expect(content.includes(key), file).toBe(false)
    }
  })

  test('a model that is unknown, or whose service has no key here, is refused by name before a run is made', async () => {
    for (const model of ['nobody:x', 'openai:', 'gpt-5']) {
      const outcome = await stack.scid('run', 'no model', '--model', model)
      expect(outcome.code, model).not.toBe(0)
      expect(outcome.stderr).toContain('model')
    }
  })
})

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}
