import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayFixture, allowed, place, startGateway } from '../testing/gateway-fixture.js'
import { ExecutionDetailsSchema } from './execution.js'
import { ExecutionStatusDetailsSchema } from './execution-status.js'

let gateway: GatewayFixture
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})

const run = (command: string, callKey: string, more: object = {}) =>
  gateway.result('run_shell', { command, ...more }, { callKey })

describe('run_shell', () => {
  test('S-07: gives exit code, output and the execution', async () => {
    const answer = await run('echo pairs kept 98', 'run-1/s1')
    expect(answer).toMatchObject({ isError: false, text: 'exit code 0\nstdout:\npairs kept 98\n' })
    expect(ExecutionDetailsSchema.parse(answer.details).execution).toMatchObject({
      state: 'completed',
      exitCode: 0,
      stdout: 'pairs kept 98\n',
      stdoutBytes: 14,
      createdFiles: [],
    })
    expect(answer.effects).toMatchObject([{ type: 'execution.completed' }])
  })

  test('S-07: a failing command is an error with its exit code and stderr', async () => {
    const answer = await run('exit 3', 'run-1/s2')
    expect(answer.isError).toBe(true)
    expect(answer.text).toBe('failed: exit code 3\nstderr:\nit broke\n')
    expect(answer.details).toMatchObject({ execution: { exitCode: 3, reason: 'exit_code' } })
  })

  test('S-07: an unknown outcome is an error that warns against repeating', async () => {
    const answer = await run('lost', 'run-1/s3')
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain('look at the files before you repeat it')
    expect(answer.details).toMatchObject({ execution: { state: 'unknown', exitCode: null } })
  })

  test('S-07: the end of the wait is not the end of the process', async () => {
    const answer = await run('hang', 'run-1/s4', { wait_ms: 50 })
    const { execution } = ExecutionDetailsSchema.parse(answer.details)
    expect(answer.isError).toBe(false)
    expect(execution).toMatchObject({ state: 'running', exitCode: null })
    expect(answer.text).toContain(`follow it with execution_status, execution_id "${execution.id}"`)
    expect(answer.effects).toEqual([])
  })

  test('S-07: in the background it does not wait at all', async () => {
    const answer = await run('hang', 'run-1/s5', { background: true, wait_ms: 30_000 })
    expect(answer.details).toMatchObject({ execution: { state: 'running' } })
  })

  test('X-12: asking twice with one key runs once; the same call id in another run is another', async () => {
    const first = await run('echo x', 'run-1/s6')
    expect(await run('echo x', 'run-1/s6')).toEqual(first)
    const other = await run('echo x', 'run-2/s6')
    const id = (answer: typeof first) => ExecutionDetailsSchema.parse(answer.details).execution.id
    expect(id(other)).not.toBe(id(first))
    expect(id(first)).toMatch(/^e-[0-9a-f]{16}-w-local-0123456789abcdef-default$/)
  })

  test('S-07: a script gets its arguments as they are', async () => {
    const args = { scriptPath: 'scripts/qc.py', arguments: ['a b', '$HOME', ''], cwd: 'data' }
    await gateway.result('run_shell', args, { callKey: 'run-1/s7' })
    expect(gateway.executions.started.at(-1)).toMatchObject({
      command: '',
      scriptPath: 'scripts/qc.py',
      arguments: ['a b', '$HOME', ''],
      cwd: 'data',
      timeoutMs: 0n,
      waitMs: 10_000,
    })
  })

  test('20,000 changed files are all told to programs, and a few to the model', async () => {
    const paths = Array.from({ length: 20_000 }, (_, at) => `out/file-${at}.txt`)
    const started = run('hang', 'run-1/s8', { wait_ms: 0 })
    const { execution } = ExecutionDetailsSchema.parse((await started).details)
    const record = gateway.executions.executions.get(execution.id)
    if (record) record.createdFiles = paths
    const answer = await gateway.result('execution_status', { execution_id: execution.id })
    expect(answer.text).toContain('created 20000 files: out/file-0.txt, ')
    expect(answer.text).toContain('and 19960 more')
    expect(answer.text.length).toBeLessThan(2_000)
    expect(ExecutionDetailsSchema.parse(answer.details).execution.createdFiles).toEqual(paths)
  })

  test.each([
    [{}, 'arguments: send exactly one of command and scriptPath'],
    [{ command: 'a', scriptPath: 'b' }, 'send exactly one of command and scriptPath'],
    [{ command: 'a', arguments: ['x'] }, 'arguments: go only with scriptPath'],
    [{ command: 'a'.repeat(20_001) }, 'command: has 20001 characters'],
    [{ command: 'a\u0000' }, 'command: holds a NUL character'],
    [{ command: 'a', wait_ms: 30_001 }, 'wait_ms: is 30001; send an integer from 0 to 30000'],
    [{ scriptPath: 'a', arguments: Array<string>(33).fill('x') }, 'arguments: has 33 items'],
    [{ scriptPath: 'a', arguments: ['x'.repeat(513)] }, 'arguments[0]: has 513 characters'],
    [{ command: 'a', timeout: 5 }, 'timeout: unknown; send only command, scriptPath'],
    [{ command: 'a', runner_id: 'GPU!' }, 'runner_id: is the text "GPU!"'],
  ])('S-07: %j is refused', async (args, message) => {
    const before = gateway.executions.started.length
    const answer = await gateway.result('run_shell', args)
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain(message)
    expect(gateway.executions.started.length).toBe(before)
  })

  test('S-07: a pool that does not exist is not found and the others are named', async () => {
    const answer = await run('echo x', 'run-1/s9', { runner_id: 'gpu' })
    expect(answer.text).toBe(
      'NOT_FOUND: runner "gpu" not found; send one of local, or leave it out',
    )
  })
})

describe('execution_status', () => {
  test('S-08: waits for the end and hands the effects on', async () => {
    const started = await run('hang', 'run-1/e1', { background: true })
    const { execution } = ExecutionDetailsSchema.parse(started.details)
    const args = { execution_id: execution.id, wait_ms: 20_000 }
    const waiting = gateway.result('execution_status', args)
    await gateway.tools.cancelCall({ callKey: 'run-1/e1', context: place, name: 'run_shell' })
    const answer = await waiting
    expect(answer).toMatchObject({
      isError: false,
      text: 'cancelled\nno output',
      details: { execution: { state: 'cancelled', reason: 'cancelled' } },
      effects: [{ type: 'execution.completed' }],
    })
  })

  test('S-08: lists the executions of the agent without an id', async () => {
    const started = await run('echo y', 'run-1/e2')
    const { execution } = ExecutionDetailsSchema.parse(started.details)
    const answer = await gateway.result('execution_status', {})
    expect(answer.text).toContain(`${execution.id} exit code 0, 2 bytes of output`)
    expect(ExecutionStatusDetailsSchema.parse(answer.details)).toHaveProperty('executions')
  })

  test('S-08: unknown, malformed and foreign ids get one answer', async () => {
    const ask = async (id: string): Promise<string> => {
      const answer = await gateway.result('execution_status', { execution_id: id })
      expect(answer.isError).toBe(true)
      return answer.text.replace(JSON.stringify(id), 'ID')
    }
    const foreign = 'e-0000000000000000-w-local-ffffffffffffffff-default'
    const own = await run('echo mine', 'run-1/e3')
    const record = gateway.executions.executions.get(
      ExecutionDetailsSchema.parse(own.details).execution.id,
    )
    if (record) gateway.executions.executions.set(foreign, { ...record, executionId: foreign })
    const unknown = await ask('e-0000000000000000-w-local-0123456789abcdef-default')
    expect(await ask(foreign)).toBe(unknown)
    expect(await ask('nonsense')).toBe(unknown)
    expect(await ask('e-0000000000000000-w-local-bad')).toBe(unknown)
    expect(unknown).toBe(
      'NOT_FOUND: execution ID not found; call execution_status without arguments to see yours',
    )
  })

  test('X-03: a silent execution is seen to go on, in steps of ten seconds', async () => {
    const started = await run('hang', 'run-1/e4', { background: true })
    const { id } = ExecutionDetailsSchema.parse(started.details).execution
    const record = gateway.executions.executions.get(id)
    const seen = async (runningMs: bigint) => {
      Object.assign(record ?? {}, { runningMs })
      const { details } = await gateway.result('execution_status', { execution_id: id })
      return ExecutionDetailsSchema.parse(details).execution.runningSeconds
    }
    expect([await seen(3_000n), await seen(9_999n), await seen(34_500n)]).toEqual([0, 0, 30])
  })

  test('S-08: wait_ms goes only with an id', async () => {
    const answer = await gateway.result('execution_status', { wait_ms: 10 })
    expect(answer.text).toContain('wait_ms: goes only with execution_id')
  })
})

describe('execution_logs and execution_cancel', () => {
  test('S-09: a page, the true end, and the end after a cursor beyond it', async () => {
    const started = await run('echo rows 12', 'run-1/l1')
    const { id } = ExecutionDetailsSchema.parse(started.details).execution
    const page = await gateway.result('execution_logs', { execution_id: id })
    expect(page.text).toBe('stdout:\nrows 12\n[end of the log at cursor 8]')
    expect(page.details).toMatchObject({
      nextCursor: 8,
      truncated: false,
      page: { hasMore: false },
    })
    const past = await gateway.result('execution_logs', { execution_id: id, cursor: 500 })
    expect(past.text).toBe('[500 is beyond the end; end of the log at cursor 8]')
  })

  test.each([
    [{ cursor: -1 }, 'cursor: is -1'],
    [{ limit: 0 }, 'limit: is 0'],
  ])('BR-032: %j is a validation error', async (more, message) => {
    const answer = await gateway.result('execution_logs', { execution_id: 'e-1', ...more })
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining(message)])
  })

  test('S-10: ends one that runs, and leaves one that has ended as it is', async () => {
    const started = await run('hang', 'run-1/l2', { background: true })
    const { id } = ExecutionDetailsSchema.parse(started.details).execution
    const cancelled = await gateway.result('execution_cancel', { execution_id: id })
    expect([cancelled.isError, cancelled.details]).toMatchObject([
      false,
      { execution: { state: 'cancelled', reason: 'cancelled' } },
    ])
    expect(await gateway.result('execution_cancel', { execution_id: id })).toEqual(cancelled)
  })

  test('S-10: one that does not exist is not found, and no mark refuses it later', async () => {
    const id = 'e-00000000000000aa-w-local-0123456789abcdef-default'
    const answer = await gateway.result('execution_cancel', { execution_id: id })
    expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('NOT_FOUND')])
    expect(gateway.executions.tombstones.has(id)).toBe(false)
  })
})

describe('CancelCall', () => {
  const cancel = (callKey: string, name = 'run_shell') =>
    gateway.tools.cancelCall({ callKey, context: place, name })

  test('ends a running call with its outcome', async () => {
    const waiting = run('hang', 'run-1/c1', { wait_ms: 20_000 })
    const before = gateway.executions.executions.size
    await expect.poll(() => gateway.executions.executions.size).toBeGreaterThan(before)
    expect(await cancel('run-1/c1')).toEqual({ known: true })
    expect(await waiting).toMatchObject({
      isError: true,
      details: { execution: { state: 'cancelled' } },
    })
  })

  test('of a call that never came refuses it later', async () => {
    expect(await cancel('run-1/c2')).toEqual({ known: false })
    const late = await run('echo late', 'run-1/c2')
    expect(late).toMatchObject({ isError: true })
    expect(late.text).toContain('was cancelled before it began')
  })

  test('of a tool without a long effect, or of none, knows nothing', async () => {
    expect(await cancel('run-1/c3', 'read_file')).toEqual({ known: false })
    expect(await cancel('run-1/c3', 'no_such_tool')).toEqual({ known: false })
  })
})

describe('execute', () => {
  const harness = { context: { ...place, profile: 'harness' } }

  test('C-05, H-19: the harness has it in place of run_shell', async () => {
    const names = async (profile: string): Promise<string[]> => {
      const { tools } = await gateway.tools.listTools({ profile, toolPolicy: undefined })
      return tools.map(({ name }) => name)
    }
    expect(await names('harness')).toContain('execute')
    expect(await names('harness')).not.toContain('run_shell')
    expect(await names('science')).toContain('run_shell')
    expect(await names('science')).not.toContain('execute')
  })

  test('C-20: seconds become milliseconds and the time limit is the runner’s', async () => {
    const args = { command: 'echo z', timeout: 3, working_directory: 'data' }
    const answer = await gateway.result('execute', args, { ...harness, callKey: 'run-1/x1' })
    expect(answer.text).toBe('exit code 0\nstdout:\nz\n')
    expect(gateway.executions.started.at(-1)).toMatchObject({
      timeoutMs: 3_000n,
      cwd: 'data',
      waitMs: 30_000,
    })
  })

  test('BR-022: what was ended for its time has exit code 124', async () => {
    const waiting = gateway.result(
      'execute',
      { command: 'hang' },
      { ...harness, callKey: 'run-1/x2', authorization: allowed },
    )
    const find = () =>
      [...gateway.executions.executions.values()].find(
        ({ state, executionId }) =>
          state === 2 && gateway.executions.started.at(-1)?.executionId === executionId,
      )
    await expect.poll(find).toBeDefined()
    const execution = find()
    if (execution) Object.assign(execution, { state: 5, reason: 'timed_out' })
    const answer = await waiting
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain('timed out after 30 s: exit code 124')
    expect(answer.details).toMatchObject({ execution: { exitCode: 124, reason: 'timed_out' } })
  })
})
