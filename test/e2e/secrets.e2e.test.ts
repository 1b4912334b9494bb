import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Logger } from '@sciencediscovery/service-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withEnvironment } from '../harness/environment.js'
import { type TestStack, eventsOf, startTestStack } from '../harness/local-stack.js'
import * as story from '../harness/story.js'

const canaries = {
  SCI_TEST_KEY: 'canary-7f3a',
  OPENAI_API_KEY: 'sk-canary-fake-20c1',
  ANTHROPIC_API_KEY: 'sk-ant-canary-fake-88d2',
}
const curious =
  'env; cat /proc/self/environ /proc/1/environ; ps auxww; cat /proc/*/cmdline /proc/*/environ; set; true'

const logged: string[] = []
const noting = (...parts: readonly unknown[]): void => {
  logged.push(JSON.stringify(parts))
}
const logger: Logger = {
  ...{ debug: noting, info: noting, warn: noting, error: noting },
  child: () => logger,
}

let stack: TestStack
let environment: Disposable
let said: string
beforeAll(async () => {
  environment = withEnvironment(canaries)
  stack = await startTestStack({ logger })
  const model = await story.scriptFile(stack, 'curious', [
    { text: '', toolCalls: [story.shell('s1', curious)] },
    { text: '', toolCalls: [story.shell('s2', `python3 -c 'import os; print(dict(os.environ))'`)] },
    { text: 'done' },
  ])
  const run = await stack.scid(
    'run',
    'look around',
    '--model',
    model,
    '--approve',
    'always',
    '--json',
  )
  expect(run.code, run.stderr).toBe(0)
  const doctor = await stack.scid('doctor', '--json')
  said = [run.stdout, run.stderr, doctor.stdout, doctor.stderr].join('\n')
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  environment[Symbol.dispose]()
})

const outputs = (): readonly string[] => {
  const lines = said.split('\n').filter((line) => line.includes('"tool.call.completed"'))
  return eventsOf({ code: 0, stdout: lines.join('\n'), stderr: '' }).map(({ data }) =>
    JSON.stringify(data),
  )
}

describe('BR-031: secrets of the control plane', () => {
  test('a sandbox sees PATH, HOME and locale, and none of them', () => {
    const [shell = '', python = ''] = outputs()
    for (const name of ['PATH=', 'HOME=', 'LANG=C.UTF-8']) expect(shell).toContain(name)
    for (const name of [`'PATH'`, `'HOME'`]) expect(python).toContain(name)
    for (const [name, value] of Object.entries(canaries)) {
      expect(said).not.toContain(value)
      expect(shell).not.toContain(`${name}=`)
    }
  })

  test('the sandbox sees its own processes only', () => {
    expect(outputs()[0]).not.toContain('vitest')
  })

  test('no file of the data directory holds one: journal, blobs, tables, workspaces', async () => {
    const entries = await readdir(stack.dataDir, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    expect(files.length).toBeGreaterThan(5)
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name)).catch(() => Buffer.alloc(0))
      for (const value of Object.values(canaries))
        expect(content.includes(value), `${parentPath}/${name}`).toBe(false)
    }
  })

  test('no line of the log holds one', () => {
    expect(logged.length).toBeGreaterThan(0)
    for (const value of Object.values(canaries)) expect(logged.join('\n')).not.toContain(value)
  })
})
