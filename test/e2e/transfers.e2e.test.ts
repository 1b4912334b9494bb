import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import { type SeenEvent } from '../harness/run-watcher.js'
import { call, endOf, ofType, openSession, play, shell, start, toEnd } from '../harness/story.js'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack({ pools: ['local', 'gpu'] })
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

const step = (...toolCalls: readonly unknown[]) => ({ text: '', toolCalls })
const workspaces = step(call('ws', 'workspace_transfer', { operation: 'workspaces' }))
const local = '{{ws.details.workspaces[runnerId=local].id}}'
const gpu = '{{ws.details.workspaces[runnerId=gpu].id}}'
const toGpu = (id: string, files: readonly (readonly [string, string])[], more: object = {}) =>
  call(id, 'workspace_transfer', {
    ...{ operation: 'start', source_workspace_id: local, target_workspace_id: gpu, ...more },
    files: files.map(([source_path, target_path]) => ({ source_path, target_path })),
  })
const onGpu = (id: string, command: string) =>
  call(id, 'run_shell', { command, runner_id: 'gpu', wait_ms: 30_000 })
const write = (id: string, path: string, content: string) =>
  call(id, 'write_file', { path, content })
const status = (id: string, of: string) =>
  call(id, 'workspace_transfer', {
    ...{ operation: 'status', transfer_id: `{{${of}.details.transfer.id}}` },
  })
const resultOf = (events: readonly SeenEvent[], callId: string) => endOf(events, callId)?.data

describe('files between two runners', () => {
  test('S-11 S-12: written on one, copied, worked on with the other, copied back, and told by provenance', async () => {
    const events = await play(stack, 'there and back', [
      workspaces,
      step(write('w1', 'in.csv', 'a\n1\n2\n')),
      step(toGpu('t1', [['in.csv', 'work/in.csv']])),
      step(onGpu('s1', 'wc -l < work/in.csv | tr -d " " > work/count.txt; cat work/count.txt')),
      step(
        call('t2', 'workspace_transfer', {
          ...{ operation: 'start', source_workspace_id: gpu, target_workspace_id: local },
          files: [{ source_path: 'work/count.txt', target_path: 'count.txt' }],
        }),
      ),
      step(shell('s2', 'cat count.txt')),
      step(call('v1', 'get_file_provenance', { path: 'count.txt' })),
      { text: 'done' },
    ])
    expect(resultOf(events, 'ws')?.details).toMatchObject({
      workspaces: [
        { runnerId: 'local', writable: true, current: true },
        { runnerId: 'gpu', writable: true, current: false },
      ],
    })
    expect(resultOf(events, 't1')?.details).toMatchObject({
      transfer: { state: 'completed', completedFiles: 1, failedFiles: 0 },
    })
    expect(resultOf(events, 's1')?.details).toMatchObject({
      execution: { runnerId: 'gpu', stdout: '3\n', state: 'completed' },
    })
    expect(resultOf(events, 's2')?.details).toMatchObject({ execution: { stdout: '3\n' } })
    expect(resultOf(events, 'v1')?.details).toMatchObject({
      origin: 'transfer',
      upstream: [
        { callId: 't2', inputs: [{ path: 'work/count.txt', runnerId: 'gpu' }] },
        { callId: 's1', inputs: [{ path: 'work/in.csv', runnerId: 'gpu' }] },
        { callId: 't1', inputs: [{ path: 'in.csv', runnerId: 'local' }] },
        { callId: 'w1' },
      ],
    })
  })

  test('S-12: the run records each fact of its transfer once, with the id of the transfer', async () => {
    const events = await play(stack, 'facts', [
      workspaces,
      step(write('w1', 'a.txt', 'a')),
      step(
        toGpu('t1', [
          ['a.txt', 'a.txt'],
          ['missing.txt', 'b.txt'],
        ]),
      ),
      { text: 'done' },
    ])
    const facts = events.filter(({ type }) => type.startsWith('transfer.'))
    expect(facts.map(({ type }) => type)).toEqual([
      'transfer.queued',
      'transfer.started',
      'transfer.file.failed',
      'transfer.file.completed',
      'transfer.partial',
    ])
    const details = resultOf(events, 't1')?.details as { transfer: { id: string } }
    expect(new Set(facts.map(({ data }) => data.transferId))).toEqual(
      new Set([details.transfer.id]),
    )
    expect(details).toMatchObject({
      transfer: {
        state: 'partial',
        files: [{ state: 'completed' }, { state: 'failed', reason: 'source_missing' }],
      },
    })
    expect(ofType(events, 'artifact.declared')).toEqual([])
  })

  test('S-12: an existing target is kept, or replaced where that was asked for', async () => {
    const events = await play(stack, 'conflicts', [
      workspaces,
      step(write('w1', 'a.txt', 'new')),
      step(onGpu('s1', 'echo old > a.txt')),
      step(toGpu('t1', [['a.txt', 'a.txt']])),
      step(onGpu('s2', 'cat a.txt')),
      step(toGpu('t2', [['a.txt', 'a.txt']], { conflict: 'overwrite' })),
      step(onGpu('s3', 'cat a.txt')),
      { text: 'done' },
    ])
    expect(resultOf(events, 't1')).toMatchObject({
      isError: true,
      details: { transfer: { state: 'failed', files: [{ reason: 'conflict' }] } },
    })
    expect(resultOf(events, 's2')?.details).toMatchObject({ execution: { stdout: 'old\n' } })
    expect(resultOf(events, 's3')?.details).toMatchObject({ execution: { stdout: 'new' } })
  })

  test('S-12: links and special files fail alone; a copy never leaves through a link at the target', async () => {
    const events = await play(stack, 'links', [
      workspaces,
      step(shell('s1', 'echo a > a; ln -s a link; mkfifo pipe; mkdir dir; ln -s /etc etc')),
      step(onGpu('s2', 'mkdir out; ln -s /tmp away')),
      step(
        toGpu('t1', [
          ['a', 'out/a'],
          ['link', 'out/link'],
          ['pipe', 'out/pipe'],
          ['dir', 'out/dir'],
          ['etc/passwd', 'out/passwd'],
          ['a', 'away/a'],
        ]),
      ),
      step(onGpu('s3', 'ls out; ls /tmp')),
      { text: 'done' },
    ])
    const { transfer } = resultOf(events, 't1')?.details as {
      transfer: { files: { state: string }[] }
    }
    expect(transfer.files.map(({ state }) => state)).toEqual([
      'completed',
      ...Array(5).fill('failed'),
    ])
    expect(resultOf(events, 's3')?.details).toMatchObject({ execution: { stdout: 'a\n' } })
  })

  test('S-12: what the source writes later does not change the copy, and half a file is never copied', async () => {
    const events = await play(stack, 'live', [
      workspaces,
      step(write('w1', 'a.txt', 'committed')),
      step(call('s1', 'run_shell', { command: 'printf half > a.txt; sleep 20', background: true })),
      step(call('r1', 'read_file', { path: 'a.txt' })),
      step(toGpu('t1', [['a.txt', 'a.txt']])),
      step(onGpu('s2', 'cat a.txt')),
      step(call('c1', 'execution_cancel', { execution_id: '{{s1.details.execution.id}}' })),
      { text: 'done' },
    ])
    expect(resultOf(events, 't1')?.details).toMatchObject({ transfer: { state: 'completed' } })
    expect(resultOf(events, 's2')?.details).toMatchObject({ execution: { stdout: 'committed' } })
  })

  test('S-14 H-21: transfers and workspaces of another agent look like none', async () => {
    const first = await play(stack, 'mine', [
      workspaces,
      step(write('w1', 'a', 'a')),
      step(toGpu('t1', [['a', 'a']])),
      { text: 'done' },
    ])
    const { transfer } = resultOf(first, 't1')?.details as {
      transfer: { id: string; sourceWorkspaceId: string }
    }
    const ask = (operation: string) =>
      call(operation, 'workspace_transfer', { operation, transfer_id: transfer.id })
    const second = await play(stack, 'theirs', [
      step(ask('status')),
      step(ask('cancel')),
      step(call('ls', 'workspace_transfer', { operation: 'list' })),
      workspaces,
      step(
        call('t2', 'workspace_transfer', {
          ...{ operation: 'start', target_workspace_id: local },
          source_workspace_id: transfer.sourceWorkspaceId,
          files: [{ source_path: 'a', target_path: 'a' }],
        }),
      ),
      { text: 'done' },
    ])
    expect(resultOf(second, 't2')).toMatchObject({ isError: true })
    expect(String(resultOf(second, 't2')?.text)).toMatch(/not found among yours/)
    expect(resultOf(second, 'status')).toMatchObject({ isError: true })
    expect(String(resultOf(second, 'status')?.text)).toMatch(/not found/)
    expect(resultOf(second, 'cancel')).toMatchObject({ isError: true })
    expect(resultOf(second, 'ls')?.details).toEqual({ transfers: [], truncated: false })
  })

  test('S-13 S-15: a transfer that waits for a busy target is listed, and ends when told to; then nothing changes it', async () => {
    const cancel = (id: string) =>
      call(id, 'workspace_transfer', {
        ...{ operation: 'cancel', transfer_id: '{{t1.details.transfer.id}}' },
      })
    const events = await play(stack, 'cancelled', [
      workspaces,
      step(write('w1', 'a', 'a')),
      step(call('s1', 'run_shell', { command: 'sleep 60', runner_id: 'gpu', background: true })),
      step(
        toGpu('t1', [
          ['a', 'a'],
          ['a', 'b'],
        ]),
      ),
      step(call('l1', 'workspace_transfer', { operation: 'list' })),
      step(cancel('c1')),
      step(call('s2', 'execution_cancel', { execution_id: '{{s1.details.execution.id}}' })),
      step(shell('p1', 'sleep 2')),
      step(status('q1', 't1')),
      step(cancel('c2')),
      { text: 'done' },
    ])
    expect(resultOf(events, 't1')?.details).toMatchObject({ transfer: { state: 'running' } })
    expect(resultOf(events, 'l1')?.details).toMatchObject({ transfers: [{ state: 'running' }] })
    expect(resultOf(events, 'c1')?.details).toMatchObject({ transfer: { cancelRequested: true } })
    expect(resultOf(events, 'q1')?.details).toMatchObject({ transfer: { state: 'cancelled' } })
    expect(resultOf(events, 'c2')?.details).toEqual(resultOf(events, 'q1')?.details)
    expect(ofType(events, 'transfer.cancelled')).toHaveLength(1)
  }, 60_000)

  test('an unknown runner is refused by name, and the ones that exist are told', async () => {
    const events = await play(stack, 'unknown pool', [
      step(call('s1', 'run_shell', { command: 'true', runner_id: 'tpu' })),
      { text: 'done' },
    ])
    expect(resultOf(events, 's1')).toMatchObject({ isError: true })
    expect(String(resultOf(events, 's1')?.text)).toMatch(/tpu.*local, gpu/s)
  })

  test('X-10: copying to another runner asks like code; copying back home does not', async () => {
    const sessionId = await openSession(stack, 'asked', { approvalMode: 1 })
    const runId = await start(stack, sessionId, 'asked', {
      turns: [
        workspaces,
        step(
          call('t1', 'workspace_transfer', {
            ...{ operation: 'start', source_workspace_id: gpu, target_workspace_id: local },
            files: [{ source_path: 'x', target_path: 'x' }],
          }),
        ),
        { text: 'done' },
      ],
    })
    const events = await toEnd(stack, runId)
    expect(ofType(events, 'tool.call.blocked')).toEqual([])
    expect(resultOf(events, 't1')?.details).toMatchObject({ transfer: { state: 'failed' } })
  })

  test('H-21: sessions and runners keep their files apart, under the same path', async () => {
    const turns = (content: string) => [
      step(write('w1', 'same.txt', content)),
      step(onGpu('s1', `echo ${content} on gpu > same.txt`)),
      step(call('r1', 'read_file', { path: 'same.txt' })),
      step(onGpu('s2', 'ls; cat same.txt')),
      step(call('g1', 'glob_files', { pattern: '**/*' })),
      { text: 'done' },
    ]
    const [one, other] = await Promise.all([
      play(stack, 'one of two', turns('one')),
      play(stack, 'other of two', turns('other')),
    ])
    for (const [events, content] of [
      [one, 'one'],
      [other, 'other'],
    ] as const) {
      expect(String(resultOf(events, 'r1')?.text)).toContain(content)
      expect(String(resultOf(events, 'r1')?.text)).not.toContain('gpu')
      expect(resultOf(events, 's2')?.details).toMatchObject({
        execution: { stdout: `same.txt\n${content} on gpu\n` },
      })
      expect(String(resultOf(events, 'g1')?.text)).toMatch(/^same.txt( |$)/)
    }
  })
})
