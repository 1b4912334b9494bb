import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import { type SeenEvent } from '../harness/run-watcher.js'
import * as story from '../harness/story.js'

let stack: TestStack
beforeAll(async () => {
  stack = await startTestStack()
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())

interface Expected {
  readonly isError: boolean
  /** What the model is told, or reads in the details. */
  readonly says: RegExp
}
type Case = readonly [what: string, name: string, args: unknown, expected: Expected]

const refused = (says: RegExp): Expected => ({ isError: true, says })
const works = (says: RegExp): Expected => ({ isError: false, says })
const invalid = (field: string): Expected =>
  refused(new RegExp(`INVALID_TOOL_ARGUMENTS[^]*${field}`))
const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

const cases: readonly Case[] = [
  ['a path of a wrong type', 'read_file', { path: 5 }, invalid('path')],
  ['a list for a path', 'read_file', { path: ['a'] }, invalid('path')],
  ['an object for a path', 'read_file', { path: { toString: 'a' } }, invalid('path')],
  ['no path', 'read_file', {}, invalid('path')],
  ['an empty path', 'read_file', { path: '' }, invalid('path')],
  ['NUL in a path', 'read_file', { path: 'a\u0000b' }, invalid('path[^]*NUL')],
  ['NUL in a command', 'run_shell', { command: 'echo \u0000' }, invalid('command[^]*NUL')],
  ['a path of 3,000 characters', 'read_file', { path: 'p'.repeat(3_000) }, invalid('path')],
  ['a way out', 'read_file', { path: '../../etc/passwd' }, refused(/outside the workspace/)],
  ['an absolute path', 'read_file', { path: '/etc/passwd' }, refused(/outside the workspace/)],
  ['a way out by the alias', 'read_file', { path: '/workspace/../x' }, refused(/outside/)],
  ['a name of 300 bytes', 'write_file', { path: 'n'.repeat(300), content: '' }, refused(/path/)],
  ['half a character', 'read_file', '{"path":"\\ud800"}', refused(/./)],
  ['escape codes in a path', 'read_file', { path: '\u001b[31mred' }, refused(/./)],
  ['a negative limit', 'read_file', { path: 'a', limit: -1 }, invalid('limit')],
  ['a number as text', 'read_file', { path: 'a', limit: '10' }, invalid('limit')],
  ['a number beyond all', 'read_file', '{"path":"a","limit":1e999}', invalid('limit')],
  ['a field that is not known', 'read_file', { path: 'a', extra: 1 }, invalid('extra')],
  ['a list of arguments', 'read_file', '[]', invalid('')],
  ['null', 'read_file', 'null', invalid('')],
  ['a bare text', 'read_file', '"a"', invalid('')],
  ['nothing', 'read_file', '', invalid('')],
  ['half an object', 'read_file', '{"path":', invalid('')],
  ['a comma too many', 'read_file', '{"path":"a",}', invalid('')],
  ['__proto__ as a key', 'read_file', '{"path":"a","__proto__":{"polluted":1}}', refused(/./)],
  [
    'constructor as a key',
    'read_file',
    '{"path":"a","constructor":{"prototype":{"polluted":1}}}',
    refused(/./),
  ],
  [
    'class-revival markers',
    'read_file',
    '{"lc":1,"type":"constructor","id":["x"],"kwargs":{}}',
    invalid('path'),
  ],
  ['brackets 100,000 deep', 'read_file', `{"path":${deep(100_000)}}`, invalid('')],
  ['brackets 100,000 deep in a plan', 'update_plan', `{"plan":${deep(100_000)}}`, invalid('')],
  [
    'SQL for a name',
    'read_artifact',
    { name: `'; DROP TABLE artifacts; --` },
    refused(/not found/i),
  ],
  [
    'a pool that is not there',
    'run_shell',
    { command: 'true', runner_id: 'nowhere' },
    refused(/nowhere/),
  ],
  ['an execution that never was', 'execution_status', { execution_id: `x'; --` }, refused(/./)],
  ['an unknown tool', 'nothing_like_it', {}, refused(/nothing_like_it/)],
  ['a tool called __proto__', '__proto__', {}, refused(/./)],
  ['a tool called constructor', 'constructor', {}, refused(/./)],
  ['a tool called toString', 'toString', {}, refused(/./)],
  ['a tool whose name is long', 't'.repeat(5_000), {}, refused(/./)],
  [
    'a step with a wrong status',
    'update_plan',
    { plan: [{ step: 'a', status: 'soon' }] },
    invalid('status'),
  ],
  [
    'a plan of 21 steps',
    'update_plan',
    { plan: Array(21).fill({ step: 'a', status: 'pending' }) },
    invalid('plan'),
  ],
  [
    'a step with NUL',
    'update_plan',
    { plan: [{ step: 'a\u0000b', status: 'pending' }] },
    works(/./),
  ],
  [
    'a file whose name has a line end',
    'write_file',
    { path: 'odd\nname', content: 'x' },
    works(/odd/),
  ],
  [
    'a file called __proto__',
    'write_file',
    { path: '__proto__', content: 'x' },
    works(/__proto__/),
  ],
  [
    'a file called constructor',
    'write_file',
    { path: 'd/constructor', content: 'x' },
    works(/constructor/),
  ],
  [
    'a file whose content has NUL',
    'write_file',
    { path: 'nul.txt', content: 'a\u0000b' },
    works(/nul/),
  ],
  [
    'a file of half a character',
    'write_file',
    '{"path":"half.txt","content":"\\ud800"}',
    invalid('content[^]*surrogate'),
  ],
]

describe('BR-087, S7: a call that a model should not have made', () => {
  let events: readonly SeenEvent[]
  beforeAll(async () => {
    const turns = cases.map(([, name, args], at) => ({
      text: '',
      toolCalls: [story.call(`c${at}`, name, args)],
    }))
    const listed = story.call('last', 'list_files', {})
    events = await story.play(stack, 'bad calls', [
      ...turns,
      { text: '', toolCalls: [listed] },
      { text: 'still here' },
    ])
  }, 180_000)

  test.each(cases.map(([what, , , expected], at) => [what, at, expected] as const))(
    '%s',
    (_what, at, { isError, says }) => {
      const end = story.endOf(events, `c${at}`)
      expect(end?.type).toBe('tool.call.completed')
      expect(end?.data.isError, String(end?.data.text)).toBe(isError)
      expect(JSON.stringify(end?.data)).toMatch(says)
      expect(JSON.stringify(end?.data)).not.toContain('internal error')
    },
  )

  test('the run completes, nothing is polluted, and the odd files are listed', () => {
    expect(events.at(-1)).toMatchObject({ type: 'run.completed' })
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    const listed = JSON.stringify(story.endOf(events, 'last')?.data.details)
    for (const name of ['odd\\nname', '__proto__', 'd/constructor']) expect(listed).toContain(name)
  })
})

const AskedSchema = z.object({ toolCalls: z.array(z.object({ argumentsText: z.string() })) })

describe('BR-087: what is large', () => {
  test('arguments of 2 MiB are kept and read in full by a watcher, also when their call is refused', async () => {
    const content = 'x'.repeat(2 * 1024 * 1024)
    const args = { path: 'large.txt', content }
    const events = await story.play(stack, 'large arguments', [
      { text: '', toolCalls: [story.call('w1', 'write_file', args)] },
      { text: '', toolCalls: [story.call('s1', 'run_shell', { command: content })] },
      { text: '', toolCalls: [story.shell('s2', 'wc -c < large.txt')] },
      { text: 'done' },
    ])
    expect(events.at(-1)?.type).toBe('run.completed')
    expect(events.map(({ position }) => position)).toEqual(events.map((_, at) => at + 1))
    const [first, second] = story
      .ofType(events, 'model.turn.completed')
      .map(({ data }) => AskedSchema.parse(data).toolCalls[0]?.argumentsText)
    expect(first).toBe(JSON.stringify(args))
    expect(second).toBe(JSON.stringify({ command: content }))
    expect(JSON.stringify(story.endOf(events, 's1')?.data)).toMatch(/command[^]*20,?000/)
    expect(story.endOf(events, 's2')?.data).toMatchObject({
      details: { execution: { stdout: '2097152\n' } },
    })
  })

  test('arguments that grow when they are quoted still reach a watcher', async () => {
    const quotes = '"'.repeat(3_500_000)
    const events = await story.play(stack, 'quotes', [
      { text: '', toolCalls: [story.call('w1', 'write_file', { path: 'q.txt', content: quotes })] },
      { text: 'done' },
    ])
    expect(events.at(-1)?.type).toBe('run.completed')
    const [asked] = story.ofType(events, 'model.turn.completed')
    const text = AskedSchema.parse(asked?.data).toolCalls[0]?.argumentsText ?? ''
    expect(JSON.parse(text)).toEqual({ path: 'q.txt', content: quotes })
  })

  test('an event that no message holds goes with its references, and the watcher goes on', async () => {
    const quotes = '"'.repeat(4_000_000)
    const asked = story.call('w1', 'write_file', { path: 'q.txt', content: quotes })
    const events = await story.play(stack, 'more quotes', [
      { text: '', toolCalls: [asked] },
      { text: 'done' },
    ])
    expect(events.at(-1)?.type).toBe('run.completed')
    expect(events.map(({ position }) => position)).toEqual(events.map((_, at) => at + 1))
    const [turn] = story.ofType(events, 'model.turn.completed')
    const stored = { blob: { sizeBytes: JSON.stringify(asked.arguments).length } }
    expect(turn?.data).toMatchObject({ toolCalls: [{ argumentsText: stored }] })
  })

  test('a transcript of entries of 3.5 MiB comes in pages, each entry once', async () => {
    const sessionId = await story.openSession(stack, 'large transcript')
    const content = 'x'.repeat(3.5 * 1024 * 1024)
    const turns = [0, 1].map((at) => ({
      text: '',
      toolCalls: [story.call(`w${at}`, 'write_file', { path: `${at}.txt`, content })],
    }))
    const runIds: string[] = []
    for (const key of ['one', 'two']) {
      // Each run has a script of its own; what its session has played before is skipped.
      const played = Array.from({ length: runIds.length * 3 }, () => ({ text: '' }))
      const script = { turns: [...played, ...turns, { text: key }] }
      runIds.push(await story.start(stack, sessionId, key, script))
      await story.toEnd(stack, runIds.at(-1) ?? '')
    }
    const entries: string[] = []
    let pageToken = ''
    let pages = 0
    const { position } = await story
      .runsOf(stack)
      .stopRun({ idempotencyKey: 'position', runId: runIds.at(-1) ?? '', reason: '' })
    do {
      const request = { sessionId, runId: '', pageSize: 200, pageToken, minPosition: position }
      const page = await story.runsOf(stack).getTranscript(request)
      entries.push(
        ...page.entries.map(({ role, callsJson }) => `${role} ${callsJson.length > 2_000_000}`),
      )
      pageToken = page.nextPageToken
      pages += 1
    } while (pageToken !== '')
    expect(pages).toBeGreaterThan(1)
    expect(entries.filter((entry) => entry === 'assistant true')).toHaveLength(4)
    expect(entries).toHaveLength(2 * (1 + 3 + 2))
  })

  test('outputs around 4 MiB and of 20 MB have exact sizes and are read to their ends', async () => {
    const sizes = [4_194_303, 4_194_304, 4_194_305, 20_000_000]
    const print = (size: number): string =>
      `yes 0123456789abcde | head -c ${size - 4}; printf 'end\\n'`
    const events = await story.play(stack, 'large outputs', [
      ...sizes.map((size, at) => ({ text: '', toolCalls: [story.shell(`b${at}`, print(size))] })),
      { text: 'done' },
    ])
    expect(events.at(-1)?.type).toBe('run.completed')
    for (const [at, size] of sizes.entries()) {
      const end = story.endOf(events, `b${at}`)
      expect(end?.data).toMatchObject({
        isError: false,
        details: { execution: { exitCode: 0, stdoutBytes: size }, toolOutput: { sizeBytes: size } },
      })
      expect(JSON.stringify(end?.data)).toContain('end\\n')
      const { toolOutput } = z
        .object({ toolOutput: z.object({ digest: z.string() }) })
        .parse(end?.data.details)
      expect(toolOutput.digest).toBe(digestOfPrinted(size))
    }
  }, 180_000)

  test('20,000 changed files in one execution are all recorded, and each has its provenance', async () => {
    const make = `python3 -c "
import os
os.makedirs('many')
for n in range(20000):
    open(f'many/{n:05}.txt', 'w').write(str(n))
"`
    const events = await story.play(stack, 'many files', [
      { text: '', toolCalls: [story.shell('m1', make)] },
      // On a busy machine the call is answered before its execution has ended.
      ...['w1', 'w2', 'w3'].map((id) => ({ text: '', toolCalls: [untilEnded(id, 'm1')] })),
      {
        text: '',
        toolCalls: [story.call('g1', 'get_file_provenance', { path: 'many/19999.txt' })],
      },
      { text: 'done' },
    ])
    expect(events.at(-1)?.type).toBe('run.completed')
    expect(story.endOf(events, 'm1')?.data).toMatchObject({ isError: false })
    const [changed] = story.ofType(events, 'workspace.changed')
    expect(changed?.data).toMatchObject({ created: 20_000, modified: 0, deleted: 0 })
    const changes = z.object({ items: z.array(z.unknown()) }).or(z.array(z.unknown()))
    const listed = changes.parse(changed?.data.changes)
    expect('items' in listed ? listed.items.length : listed.length).toBe(20_000)
    expect(story.endOf(events, 'g1')?.data).toMatchObject({
      details: { revisions: [{ path: 'many/19999.txt', callId: 'm1' }] },
    })
  }, 180_000)

  test('a turn with 200 calls makes them all; one with so many that it cannot be recorded fails its run, once', async () => {
    const plan = (at: number) => story.call(`l${at}`, 'list_files', { path: `d${at}` })
    const some = Array.from({ length: 200 }, (_, at) => plan(at))
    const events = await story.play(stack, 'many calls', [
      { text: '', toolCalls: some },
      { text: 'done' },
    ])
    expect(events.at(-1)?.type).toBe('run.completed')
    expect(story.ofType(events, 'tool.call.completed')).toHaveLength(200)
    const all = Array.from({ length: 5_000 }, (_, at) => plan(at))
    const failed = await story.play(stack, 'too many calls', [
      { text: '', toolCalls: all },
      { text: 'done' },
    ])
    expect(failed.at(-1)?.type).toBe('run.failed')
    expect(story.ofType(failed, 'model.turn.failed')).toMatchObject([
      { data: { reason: 'turn_too_large', retryable: false } },
    ])
  }, 180_000)
})

/** What `yes … | head -c` and the end print. */
function digestOfPrinted(size: number): string {
  const line = '0123456789abcde\n'
  const text = line.repeat(Math.ceil(size / line.length)).slice(0, size - 4)
  return createHash('sha256').update(`${text}end\n`).digest('hex')
}

/** Waits for the execution of an earlier call, up to 30 s. */
function untilEnded(id: string, callId: string): ReturnType<typeof story.call> {
  const execution = `{{${callId}.details.execution.id}}`
  return story.call(id, 'execution_status', { execution_id: execution, wait_ms: 30_000 })
}
