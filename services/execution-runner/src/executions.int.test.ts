import { ExecutionState } from '@sciencediscovery/proto-gen/executions/v1/executions'
import { ExecutionCompletedSchema, WorkspaceChangedSchema } from '@sciencediscovery/run-events'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  commandLines,
  createWorld,
  inWorkspace,
  outputOf,
  pool,
  projectId,
  type Replica,
  startRequest,
  workspaceId,
  type World,
} from './testing/runner-fixture.js'

const state = {
  completed: ExecutionState.EXECUTION_STATE_COMPLETED,
  failed: ExecutionState.EXECUTION_STATE_FAILED,
  cancelled: ExecutionState.EXECUTION_STATE_CANCELLED,
  running: ExecutionState.EXECUTION_STATE_RUNNING,
  queued: ExecutionState.EXECUTION_STATE_QUEUED,
}
const place = { projectId, workspaceId, runnerId: pool }
const LiveSchema = z.object({
  kind: z.literal('output'),
  callId: z.string(),
  stream: z.string(),
  text: z.string(),
})

let world: World
let replica: Replica

beforeAll(async () => {
  world = await createWorld()
  replica = await world.startReplica('one')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('execution › shell command', () => {
  test('S-07: tells exit code, both streams and the files it changed', async () => {
    const made = await replica.run('echo hi > made.txt; echo out; echo err >&2; exit 3')
    expect(made).toMatchObject({
      ...{ state: state.failed, exitCode: 3, reason: 'exit_code' },
      ...{ stdoutPreview: 'out\n', stderrPreview: 'err\n', stdoutBytes: 4n, stderrBytes: 4n },
      ...{ createdFiles: ['made.txt'], modifiedFiles: [], deletedFiles: [] },
    })
    const changed = await replica.run('echo more >> made.txt && chmod +x made.txt')
    expect(changed).toMatchObject({ state: state.completed, modifiedFiles: ['made.txt'] })
    const deleted = await replica.run('rm made.txt')
    expect(deleted).toMatchObject({ exitCode: 0, deletedFiles: ['made.txt'], createdFiles: [] })
  })

  test('S-07: its facts fit the run stream, and name what it read', async () => {
    await replica.run('printf a > read.txt; printf b > other.txt; printf c > edited.txt')
    const { effects } = await replica.run('cat read.txt; sed -i s/c/d/ edited.txt', {
      declaredInputs: ['./other.txt'],
    })
    const [completed, changed] = effects.map(({ type, version, dataJson }) => {
      const event: unknown = { type, v: version, data: JSON.parse(dataJson) as unknown }
      return event
    })
    const { inputs } = ExecutionCompletedSchema.parse(completed).data
    const evidence =
      'items' in inputs ? inputs.items.map((input) => [input.path, input.evidence]) : []
    expect(evidence).toEqual([
      ['edited.txt', 'possible'],
      ['other.txt', 'declared'],
      ['read.txt', 'observed'],
    ])
    expect(WorkspaceChangedSchema.parse(changed).data).toMatchObject({
      modified: 1,
      origin: 'tool',
    })
    const { effects: later } = await replica.run('ls -l; stat read.txt >/dev/null')
    expect(later[0]?.dataJson).not.toContain('observed')
  })

  test('X-12: asked for twice with one id it runs once', async () => {
    const request = startRequest('echo once >> once.txt')
    const answers = await Promise.all([
      replica.executions.startExecution(request),
      replica.executions.startExecution(request),
    ])
    const again = await replica.executions.startExecution(request)
    const { stdoutPreview } = await replica.run('wc -l < once.txt')
    expect(stdoutPreview).toBe('1\n')
    for (const answer of answers) expect(answer).toEqual(again)
  })

  test('a signal is 128 and its number', async () => {
    expect(await replica.run('kill -9 $$')).toMatchObject({ exitCode: 137, state: state.failed })
  })

  test('BR-020: a child that is left behind holds nothing up and does not live on', async () => {
    const startedAt = performance.now()
    const execution = await replica.run('(sleep 300; true) & echo started')
    expect(execution).toMatchObject({ exitCode: 0, stdoutPreview: 'started\n' })
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await commandLines()).not.toContain('sleep\u0000300')
  })

  test('BR-022: a timeout ends the whole tree and keeps what was printed', async () => {
    const command = "echo before; bash -c 'sleep 613 & sleep 614'"
    const execution = await replica.run(command, { timeoutMs: 1_000n })
    expect(execution).toMatchObject({
      ...{ state: state.cancelled, reason: 'timed_out', stdoutPreview: 'before\n' },
    })
    const running = await commandLines()
    for (const seconds of ['613', '614']) expect(running).not.toContain(`sleep\u0000${seconds}`)
  })

  test('BR-024: a character in two pieces is one, live and stored', async () => {
    const pieces: string[] = []
    await using _ = await world.store.signals.subscribe('live.r1', (payload) => {
      const { stream, text } = LiveSchema.parse(payload)
      pieces.push(`${stream}:${text}`)
    })
    const { executionId, stdoutPreview, stderrPreview } = await replica.run(
      "printf '10 \\302'; printf '\\302' >&2; sleep 0.4; printf '\\265M\\n'; printf '\\265\\n' >&2",
    )
    expect([stdoutPreview, stderrPreview]).toEqual(['10 µM\n', 'µ\n'])
    expect((await outputOf(replica, executionId)).toString()).toBe('10 µM\n')
    const live = (name: string) =>
      pieces.filter((piece) => piece.startsWith(name)).map((piece) => piece.slice(7))
    expect([live('stdout').join(''), live('stderr').join('')]).toEqual(['10 µM\n', 'µ\n'])
  })

  test('BR-028: a here-document arrives as it is, with CRLF too', async () => {
    const lines = ["cat <<'EOF' > s.txt", '$HOME `id` "q" \'x\'', 'EOF', 'wc -c < s.txt']
    for (const end of ['\n', '\r\n']) {
      const { stdoutPreview } = await replica.run(lines.join(end))
      expect(stdoutPreview).toBe('19\n')
    }
    expect((await replica.run('ls')).stdoutPreview).not.toContain('\r')
  })

  test('BR-030: nobody answers, and there is no terminal', async () => {
    const asked = await replica.run('/usr/bin/python3 -c "input(\'Proceed? \')"')
    expect(asked).toMatchObject({ exitCode: 1 })
    expect(asked.stderrPreview).toContain('EOFError')
    expect(await replica.run('cat')).toMatchObject({ exitCode: 0, stdoutPreview: '' })
    expect((await replica.run('read a </dev/tty; echo rc=$?')).stdoutPreview).toBe('rc=1\n')
  })

  test('S-07: a script gets its arguments unparsed', async () => {
    await replica.run(`printf '#!/bin/bash\\nprintf "%%s|" "$@"' > s.sh; chmod +x s.sh; mkdir -p d`)
    const over = {
      command: '',
      scriptPath: '/workspace/s.sh',
      arguments: ['a b', '$HOME', '"'],
      cwd: './d',
    }
    expect((await replica.run('', over)).stdoutPreview).toBe('a b|$HOME|"|')
  })
})

describe('execution › waiting', () => {
  test('S-08: the wait is over before the process, which goes on', async () => {
    const { executionId } = await replica.run('echo early; sleep 1; echo late', { waitMs: 0 })
    const early = await replica.executions.waitExecution({ ...place, executionId, waitMs: 0 })
    expect([state.running, state.queued]).toContain(early.execution?.state)
    const late = await replica.executions.waitExecution({ ...place, executionId, waitMs: 10_000 })
    expect(late.execution).toMatchObject({ state: state.completed, stdoutPreview: 'early\nlate\n' })
  })

  test('S-08: an unknown one is not found', async () => {
    const wait = replica.executions.waitExecution({ ...place, executionId: 'x-none', waitMs: 0 })
    await expect(wait).rejects.toMatchObject({ code: 'not_found' })
  })

  test('S-07: a second one waits for the first, and the newest is listed first', async () => {
    const first = await replica.run('sleep 0.5; echo 1 > order.txt', { waitMs: 0 })
    const second = await replica.run('echo 2 >> order.txt; cat order.txt')
    expect(second.stdoutPreview).toBe('1\n2\n')
    const { executions } = await replica.executions.listExecutions({ ...place, limit: 2 })
    expect(executions.map(({ executionId }) => executionId)).toEqual([
      second.executionId,
      first.executionId,
    ])
  })

  test('output can be followed while it grows', async () => {
    const { executionId } = await replica.run('for n in 1 2 3; do echo $n; sleep 0.2; done', {
      waitMs: 0,
    })
    await until('it runs', async () => {
      const { execution } = await replica.executions.waitExecution({
        ...place,
        executionId,
        waitMs: 0,
      })
      return execution?.state === state.running
    })
    let text = ''
    const request = {
      ...place,
      executionId,
      stream: 'stdout',
      offset: 2n,
      length: 0n,
      follow: true,
    }
    for await (const { content } of replica.executions.readOutput(request))
      text += content.toString()
    expect(text).toBe('2\n3\n')
  })
})

describe('execution › cancel', () => {
  test('S-10: the state is cancelled when the tree is gone and the files are committed', async () => {
    const { executionId } = await replica.run('echo part > part.txt; sleep 615', { waitMs: 0 })
    await until('the file is there', async () => {
      const all = { ...inWorkspace, path: '', recursive: true, limit: 0, after: '' }
      const { files, uncommitted } = await replica.files.listFiles(all)
      return uncommitted && files.some(({ path }) => path === 'part.txt')
    })
    const request = { ...place, executionId, reason: 'cancelled' }
    const { execution } = await replica.executions.cancelExecution(request)
    expect(execution).toMatchObject({
      ...{ state: state.cancelled, reason: 'cancelled', createdFiles: ['part.txt'] },
    })
    expect(await commandLines()).not.toContain('sleep\u0000615')
    expect(await replica.executions.cancelExecution(request)).toEqual({ execution })
  })

  test('before it was asked for, it is refused later', async () => {
    const request = startRequest('echo never')
    const { executionId } = request
    const mark = await replica.executions.cancelExecution({
      ...place,
      executionId,
      reason: 'cancelled',
    })
    expect(mark.execution).toBeUndefined()
    const start = replica.executions.startExecution(request)
    await expect(start).rejects.toMatchObject({ code: 'refused', details: { reason: 'cancelled' } })
  })
})

describe('execution › request', () => {
  test.each([
    ['workspaceId', { workspaceId: 'w-other-0123456789abcdef-p1' }, 'invalid'],
    ['executionId', { executionId: 'a b' }, 'invalid'],
    ['command', { command: '' }, 'invalid'],
    ['command', { command: 'a\0b' }, 'invalid'],
    ['cwd', { cwd: '../x' }, 'invalid'],
    ['timeoutMs', { timeoutMs: -1n }, 'invalid'],
    ['environmentId', { environmentId: 'py' }, 'refused'],
  ])('a bad %s is refused by name', async (_, over, code) => {
    const request = { ...startRequest('true'), ...over }
    await expect(replica.executions.startExecution(request)).rejects.toMatchObject({ code })
  })
})
