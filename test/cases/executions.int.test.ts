import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type AgentDesk,
  type CallAnswer,
  type ToolStack,
  profiles,
  startToolStack,
} from '../harness/tool-stack.js'

let stack: ToolStack
beforeAll(async () => {
  process.env['SCI_TEST_KEY'] = canary
  stack = await startToolStack()
})
afterAll(async () => {
  delete process.env['SCI_TEST_KEY']
  await stack[Symbol.asyncDispose]()
})

const canary = 'canary-7f3a'
const RecordSchema = z.object({
  execution: z.looseObject({
    id: z.string(),
    state: z.string(),
    exitCode: z.number().nullable(),
    stdout: z.string(),
    stderr: z.string(),
    stdoutBytes: z.number(),
    reason: z.string().optional(),
  }),
})
const LogSchema = z.object({
  chunks: z.array(z.object({ cursor: z.number(), stream: z.string(), text: z.string() })),
  nextCursor: z.number(),
  state: z.string(),
})

const recordOf = ({ details }: CallAnswer) => RecordSchema.parse(details).execution

describe.each(profiles)('C: shell executions, %s profile', (profile) => {
  let agent: AgentDesk
  beforeAll(() => {
    agent = stack.agent('shell', profile)
  })
  const isHarness = profile === 'harness'
  const run = (command: string) =>
    isHarness
      ? agent.call('execute', { command })
      : agent.call('run_shell', { command, wait_ms: 30_000 })
  const log = async (executionId: string, more = {}) =>
    LogSchema.parse(
      (await agent.call('execution_logs', { execution_id: executionId, ...more })).details,
    )
  const wholeLog = async (executionId: string, stream: string): Promise<string> => {
    let text = ''
    for (let cursor = 0; ;) {
      const page = await log(executionId, { cursor })
      for (const chunk of page.chunks) if (chunk.stream === stream) text += chunk.text
      if (page.nextCursor === cursor) return text
      cursor = page.nextCursor
    }
  }

  test('BR-020: a child that is left behind does not hold the answer up', async () => {
    await run('true')
    const startedAt = performance.now()
    const answer = await run('(sleep 300; true) & echo started')
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(recordOf(answer)).toMatchObject({ exitCode: 0, stdout: 'started\n' })
    expect(await commandLines()).not.toContain('sleep\u0000300')
  })

  test('BR-024: a character in two pieces is one, on both streams and in the log', async () => {
    const pieces = "printf '10 \\302'; sleep 0.4; printf '\\265M\\n'"
    const out = recordOf(await run(pieces))
    expect([out.stdout, out.stderr]).toEqual(['10 µM\n', ''])
    expect(await wholeLog(out.id, 'stdout')).toBe('10 µM\n')
    const err = recordOf(await run(`(${pieces}) >&2`))
    expect([err.stdout, err.stderr]).toEqual(['', '10 µM\n'])
    expect(await wholeLog(err.id, 'stderr')).toBe('10 µM\n')
  })

  test('BR-026: 200 MB of output are a preview and a reference; somebody else reads meanwhile', async () => {
    const reader = stack.agent('reader', profile)
    await reader.put('a.txt', 'content\n')
    await reader.call('read_file', { path: 'a.txt' })
    const state = { flooding: true, longestMs: 0, reads: 0 }
    const reading = (async () => {
      while (state.flooding) {
        const startedAt = performance.now()
        await reader.call('read_file', { path: 'a.txt' })
        state.longestMs = Math.max(state.longestMs, performance.now() - startedAt)
        state.reads += 1
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    })()
    const memory = watchMemory()
    const answer = await run('yes 0123456789 | head -c 200000000')
    const grownBytes = memory.stop()
    state.flooding = false
    await reading
    const record = recordOf(answer)
    expect(record).toMatchObject({ exitCode: 0, stdoutBytes: 200_000_000 })
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(50 * 1024)
    expect(record.stdout.startsWith('0123456789\n')).toBe(true)
    expect(record.stdout.endsWith('\n01')).toBe(true)
    expect(answer.text).toMatch(/tool-output-[0-9a-f]{16}/)
    // Runner, gateway and store share this process: together they stay below what one may take.
    expect(grownBytes).toBeLessThan(64 * 1024 ** 2)
    expect(state.reads).toBeGreaterThan(0)
    expect(state.longestMs).toBeLessThan(1_000)
  }, 120_000)

  test('BR-027: progress bars and cursor codes are cleaned for the model and raw in the log', async () => {
    const bar =
      "/usr/bin/python3 -c \"for n in range(1001): print('\\rdownloading %.1f%%' % (n / 10), end='')\nprint('\\nsaved reads.fq.gz')\""
    const answer = await run(bar)
    const record = recordOf(answer)
    expect(record.stdout).toBe('downloading 100.0%\nsaved reads.fq.gz\n')
    expect(record.stdout.length).toBeLessThan(200)
    expect(record.stdoutBytes).toBe(17_938)
    const raw = await wholeLog(record.id, 'stdout')
    expect(Buffer.byteLength(raw)).toBe(17_938)
    const colours = await run(
      "printf '\\033[31mFAIL\\033[0m test_a\\n\\033[1A\\033[2Kok test_a\\n'",
    )
    expect(colours.text).toContain('ok test_a')
    // eslint-disable-next-line no-control-regex -- these are what must not be there
    for (const { text } of [answer, colours]) expect(text).not.toMatch(/[\r\u001b]/)
  })

  test('BR-028: here-documents arrive as they are, with CRLF too', async () => {
    const lines = ["cat <<'EOF' > s.txt", '$HOME `id` "q" \'x\'', 'EOF', 'wc -c < s.txt']
    for (const end of ['\n', '\r\n']) {
      expect(recordOf(await run(lines.join(end))).stdout).toBe('19\n')
      expect((await agent.bytes('s.txt')).toString()).toBe('$HOME `id` "q" \'x\'\n')
    }
    expect(recordOf(await run('ls')).stdout).not.toContain('\r')
  })

  test('BR-030: whoever asks gets no answer, and there is no terminal', async () => {
    const startedAt = performance.now()
    const asked = recordOf(await run('/usr/bin/python3 -c "input(\'Proceed? \')"'))
    expect([asked.exitCode, asked.stderr]).toEqual([1, expect.stringContaining('EOFError')])
    expect(recordOf(await run('cat'))).toMatchObject({ exitCode: 0, stdout: '', stderr: '' })
    const terminal = recordOf(await run('read a </dev/tty; echo rc=$?'))
    expect(terminal.stdout).toMatch(/^rc=[1-9]/)
    expect(terminal.stderr).toContain('/dev/tty')
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })

  test('BR-031: nothing of the control plane is in the sandbox', async () => {
    const answer = await run(
      'env; cat /proc/self/environ /proc/1/environ; ps auxww; cat /proc/*/cmdline',
    )
    const { id, stdout } = recordOf(answer)
    const seen = [answer.text, JSON.stringify(answer.details), await wholeLog(id, 'stdout')].join()
    expect(seen).not.toContain(canary)
    for (const name of ['PATH=', 'HOME=', 'LANG=', 'SCIENCEDISCOVERY_WORKSPACE=/workspace'])
      expect(stdout).toContain(name)
  })

  test('S-09: of an execution that ended the log is there, both streams in their order', async () => {
    const { id } = recordOf(
      await run('for n in 1 2; do echo o$n; sleep 0.2; echo e$n >&2; sleep 0.2; done'),
    )
    const { chunks, state } = await log(id)
    expect([state, chunks.map(({ stream, text }) => `${stream} ${text.trim()}`)]).toEqual([
      'completed',
      ['stdout o1', 'stderr e1', 'stdout o2', 'stderr e2'],
    ])
  })

  test('S-09, S-10: executions that are not the agent’s do not exist', async () => {
    const other = stack.agent('other', profile)
    const { id } = recordOf(await run('echo mine'))
    for (const tool of ['execution_logs', 'execution_cancel', 'execution_status']) {
      const answers = await Promise.all(
        [id, 'nonsense'].map((execution_id) => other.call(tool, { execution_id })),
      )
      for (const { isError, text } of answers) {
        expect([isError, text]).toEqual([true, expect.stringMatching(/^NOT_FOUND: execution/)])
      }
    }
  })
})

describe('C: run_shell', () => {
  let agent: AgentDesk
  beforeAll(() => {
    agent = stack.agent('background', 'science')
  })
  const start = async (command: string) =>
    recordOf(await agent.call('run_shell', { command, background: true })).id
  const log = async (executionId: string, more = {}) =>
    LogSchema.parse(
      (await agent.call('execution_logs', { execution_id: executionId, ...more })).details,
    )

  test('BR-032: paging through the log of a running job', async () => {
    const id = await start(
      'for n in 0 1 2 3 4; do echo line $n; done; echo line 5 µ; for n in 6 7 8 9; do echo line $n; done; until [ -e go ]; do sleep 0.05; done; echo line 10; sleep 30',
    )
    await until('ten lines are there', async () => (await log(id)).nextCursor === 73)
    const pages = []
    for (let cursor = 0; pages.length < 3; cursor = pages.at(-1)?.nextCursor ?? 0)
      pages.push(await log(id, { cursor, limit: 4 }))
    expect(pages.map(({ chunks }) => chunks.map(({ text }) => text.trim()).join())).toEqual([
      'line 0,line 1,line 2,line 3',
      'line 4,line 5 µ,line 6,line 7',
      'line 8,line 9',
    ])
    const past = await log(id, { cursor: 10_000_000 })
    expect(past).toMatchObject({ chunks: [], nextCursor: 73, state: 'running' })
    const negative = await agent.call('execution_logs', { execution_id: id, cursor: -1 })
    expect([negative.isError, negative.text]).toEqual([true, expect.stringContaining('cursor')])
    expect(negative.details).toMatchObject({ error: { code: 'INVALID_TOOL_ARGUMENTS' } })
    await agent.put('go', '').catch(() => undefined)
    await agent.call('execution_cancel', { execution_id: id })
    expect((await log(id, { cursor: 73 })).state).toBe('cancelled')
  })

  test('BR-032: what comes after the true end is seen by the next page', async () => {
    const id = await start('echo early; sleep 1; echo late')
    await until('it has begun', async () => (await log(id)).nextCursor === 6)
    const { nextCursor } = await log(id, { cursor: 500 })
    await agent.call('execution_status', { execution_id: id, wait_ms: 20_000 })
    expect((await log(id, { cursor: nextCursor })).chunks.map(({ text }) => text)).toEqual([
      'late\n',
    ])
  })

  test('S-07: waiting does not end it; S-10: a cancel does, with its whole tree and its files', async () => {
    const answer = await agent.call('run_shell', {
      command: "echo part > part.txt; bash -c 'sleep 617 & sleep 618'",
      wait_ms: 500,
    })
    const { id, state } = recordOf(answer)
    expect([answer.isError, state]).toEqual([false, 'running'])
    const ended = await agent.call('execution_cancel', { execution_id: id })
    expect([ended.isError, recordOf(ended)]).toEqual([
      false,
      expect.objectContaining({ state: 'cancelled', createdFiles: ['part.txt'] }),
    ])
    const running = await commandLines()
    for (const seconds of ['617', '618']) expect(running).not.toContain(`sleep\u0000${seconds}`)
    expect(await agent.call('execution_cancel', { execution_id: id })).toEqual(ended)
  })

  test('S-10: one that waits for its turn is taken out of the queue', async () => {
    const first = await start('sleep 30')
    const second = await start('echo never > never.txt')
    const cancelled = await agent.call('execution_cancel', { execution_id: second })
    expect(recordOf(cancelled)).toMatchObject({ state: 'cancelled', exitCode: null })
    await agent.call('execution_cancel', { execution_id: first })
    expect(await agent.shell('ls')).not.toContain('never.txt')
  })

  test.each([{ kernel: 'python3' }, { persistent: true }, { session: 'a' }])(
    'S-07: %j asks for what lives on between calls, and is refused before anything starts',
    async (more) => {
      const answer = await agent.call('run_shell', { command: 'touch made', ...more })
      expect([answer.isError, answer.text]).toEqual([true, expect.stringContaining('unknown')])
      expect(await agent.shell('ls')).not.toContain('made')
    },
  )

  test('S-07: an environment that nobody knows is refused by name', async () => {
    const answer = await agent.call('run_shell', { command: 'true', environment_id: 'env-none' })
    expect([answer.isError, answer.text]).toEqual([
      true,
      expect.stringMatching(/environment env-none is not known.*leave it empty/),
    ])
  })
})

describe('C: execute', () => {
  test('BR-022: what runs out of time is ended with its whole tree, and says so', async () => {
    const agent = stack.agent('timeout', 'harness')
    await agent.shell('true')
    const startedAt = performance.now()
    const answer = await agent.call('execute', {
      command: "echo before; bash -c 'sleep 613 & sleep 614'",
      timeout: 3,
    })
    const tookMs = performance.now() - startedAt
    expect(tookMs).toBeGreaterThanOrEqual(3_000)
    expect(tookMs).toBeLessThan(6_000)
    expect(answer.isError).toBe(true)
    expect(answer.text).toMatch(/timed out[^]*before/)
    expect(recordOf(answer)).toMatchObject({
      ...{ state: 'cancelled', reason: 'timed_out', exitCode: 124, stdout: 'before\n' },
    })
    const running = await commandLines()
    for (const seconds of ['613', '614']) expect(running).not.toContain(`sleep\u0000${seconds}`)
    const failed = await agent.call('execute', { command: 'exit 1' })
    expect([failed.isError, recordOf(failed)]).toEqual([
      true,
      expect.objectContaining({ state: 'failed', exitCode: 1, stdout: '', stderr: '' }),
    ])
  })

  test.each(['..', '/etc', '../x', 'a/../..'])(
    'I-06: the working directory %s does not leave the workspace',
    async (working_directory) => {
      const agent = stack.agent('timeout', 'harness')
      const answer = await agent.call('execute', { command: 'pwd', working_directory })
      expect([answer.isError, answer.text]).toEqual([
        true,
        expect.stringContaining('outside the workspace'),
      ])
    },
  )

  test('I-06: a working directory is no shell text', async () => {
    const agent = stack.agent('timeout', 'harness')
    await agent.shell("mkdir -p 'a b; touch x $(id)'")
    const place = 'a b; touch x $(id)'
    const { stdout } = recordOf(
      await agent.call('execute', { command: 'pwd', working_directory: place }),
    )
    expect(stdout).toBe(`/workspace/${place}\n`)
  })
})

function watchMemory(): { stop(): number } {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 50)
  return {
    stop: () => {
      clearInterval(timer)
      return most - before
    },
  }
}

/** What runs on this machine, one command line each; arguments end with NUL. */
async function commandLines(): Promise<string> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = pids.map((pid) => readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => ''))
  return (await Promise.all(lines)).join('\n')
}
