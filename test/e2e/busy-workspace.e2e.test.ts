import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import { call, endOf, play } from '../harness/story.js'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

const step = (...toolCalls: readonly unknown[]) => ({ text: '', toolCalls })

describe('a workspace while a job runs in it', () => {
  test('S-02 S-07: is read as it is now, marked uncommitted; a write waits 10 s and names the execution', async () => {
    const events = await play(stack, 'busy', [
      step(call('s1', 'run_shell', { command: 'echo live > live.txt; sleep 60', wait_ms: 1_000 })),
      step(call('l1', 'list_files', {})),
      step(call('r1', 'read_file', { path: 'live.txt' })),
      step(call('w1', 'write_file', { path: 'other.txt', content: 'x' })),
      step(call('c1', 'execution_cancel', { execution_id: '{{s1.details.execution.id}}' })),
      step(call('w2', 'write_file', { path: 'other.txt', content: 'x' })),
      { text: 'done' },
    ])
    const { execution } = endOf(events, 's1')?.data.details as { execution: { id: string } }
    expect(endOf(events, 'l1')?.data).toMatchObject({ details: { uncommitted: true } })
    expect(endOf(events, 'r1')?.data).toMatchObject({ details: { uncommitted: true } })
    const refused = endOf(events, 'w1')?.data
    expect(refused).toMatchObject({ isError: true, details: { error: { retryable: true } } })
    expect(String(refused?.text)).toContain(execution.id)
    expect(endOf(events, 'w2')?.data).toMatchObject({ isError: false })
  }, 60_000)
})
