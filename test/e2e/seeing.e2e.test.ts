import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withEnvironment } from '../harness/environment.js'
import { type EventLine, type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'
import {
  type ModelService,
  anthropicTurn,
  openAiTurn,
  startModelService,
} from '../harness/model-service.js'

const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const spoken = (id: string, name: string, args: object) => ({
  ...{ id, name },
  arguments: JSON.stringify(args),
})
const draw = (id: string) =>
  spoken(id, 'run_shell', {
    command: `printf %s ${pngBase64} | base64 -d > dot.png`,
    wait_ms: 30_000,
  })
const declare = (id: string) => spoken(id, 'declare_artifact', { path: 'dot.png' })
const look = (id: string) => spoken(id, 'read_artifact', { name: 'dot.png' })

let openai: ModelService
let anthropic: ModelService
let environment: Disposable
let stack: TestStack
beforeAll(async () => {
  openai = await startModelService([
    { pieces: openAiTurn(['Drawing.'], [draw('c1')]) },
    { pieces: openAiTurn(['Declaring.'], [declare('c2')]) },
    { pieces: openAiTurn(['Looking.'], [look('c3')]) },
    { pieces: openAiTurn(['A dot.']) },
    { pieces: openAiTurn(['Looking.'], [look('c1')]) },
    { pieces: openAiTurn(['I cannot see.']) },
  ])
  anthropic = await startModelService([
    { pieces: anthropicTurn(['Looking.'], [look('t1')]) },
    { pieces: anthropicTurn(['A dot.']) },
  ])
  environment = withEnvironment({
    ...{ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: `${openai.url}/v1` },
    ...{ ANTHROPIC_API_KEY: 'sk-ant-1', ANTHROPIC_BASE_URL: anthropic.url },
  })
  stack = await startTestStack()
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  environment[Symbol.dispose]()
  await openai[Symbol.asyncDispose]()
  await anthropic[Symbol.asyncDispose]()
})

async function run(model: string): Promise<readonly EventLine[]> {
  const outcome = await stack.scid('run', 'look', '--approve', 'always', '--json', '--model', model)
  expect(outcome.code, outcome.stderr).toBe(0)
  return eventsOf(outcome)
}

describe('an image artifact that a model asks for', () => {
  test('S-05: is shown to a model that can see, and never stands in an event', async () => {
    const events = await run('openai:gpt-5.4')
    const asked = openai.requests[3]?.body ?? ''
    expect(asked).toContain(`data:image/png;base64,${pngBase64}`)
    const result = events.findLast(({ type }) => type === 'tool.call.completed')
    expect(JSON.stringify(result)).not.toContain(pngBase64.slice(30))
    expect(result?.data).toMatchObject({
      text: 'dot.png version 1 is an image (image/png, 70 bytes).',
      details: { binary: true, image: { mediaType: 'image/png', sizeBytes: 70 } },
    })
  })

  test('S-05: is named with type and size to a model that cannot', async () => {
    await run('openai:text-only-model')
    const asked = openai.requests[5]?.body ?? ''
    expect(asked).not.toContain('base64')
    expect(asked).toContain('is an image (image/png, 70 bytes)')
    expect(asked).toContain('which this model cannot see')
  })

  test('S-05: is part of the tool result where the service takes images there', async () => {
    await run('anthropic:claude-haiku-4-5')
    const asked = anthropic.requests[1]?.body ?? ''
    expect(asked).toContain(pngBase64)
    expect(asked).toContain('"media_type":"image/png"')
  })
})
