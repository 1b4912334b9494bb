import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from 'vitest'
import { type Constellation, startConstellation } from '../harness/constellation.js'
import { type EventLine, type Outcome, eventsOf } from '../harness/local-stack.js'
import { watchRun } from '../harness/run-watcher.js'
import { startRun } from '../harness/run-client.js'
import { rolesOf, workspaceEvents } from '../chaos/roles.js'

let stack: Constellation
beforeAll(async () => {
  stack = await startConstellation({ natsUsers: true })
}, 240_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

async function run(name: string, turns: unknown, ...options: string[]): Promise<Outcome> {
  onTestFailed(() => {
    process.stderr.write(stack.logs())
  })
  const file = join(stack.folder, `${name}.json`)
  await writeFile(file, JSON.stringify({ turns }))
  const model = `scripted:${file}`
  return stack.scid('run', 'go', '--model', model, '--approve', 'always', '--json', ...options)
}

const call = (id: string, name: string, args: unknown) => ({ id, name, arguments: args })
const shell = (id: string, command: string) => call(id, 'run_shell', { command, wait_ms: 30_000 })
const step = (toolCall: unknown) => ({ text: '', toolCalls: [toolCall] })
const typed = (events: readonly EventLine[], type: string) =>
  events.filter((event) => event.type === type)

const analysis = [
  step(call('p1', 'update_plan', { plan: [{ step: 'Count', status: 'in_progress' }] })),
  step(call('w1', 'write_file', { path: 'in.csv', content: 'a,b\n1,2\n' })),
  step(shell('s1', 'wc -l < in.csv > out.txt; cat out.txt')),
  step(call('d1', 'declare_artifact', { path: 'out.txt' })),
  step(call('v1', 'get_file_provenance', { path: 'out.txt' })),
  { text: 'Done.' },
]

describe('a process per replica on NATS and PostgreSQL', () => {
  test('a run with a plan, a file, a shell, an artifact and its provenance completes', async () => {
    const outcome = await run('analysis', analysis)
    expect(outcome.code).toBe(0)
    const events = eventsOf(outcome)
    expect(events.map(({ position }) => position)).toEqual(events.map((_, n) => n + 1))
    const ended = typed(events, 'tool.call.completed')
    expect(ended.map(({ data }) => [data.callId, data.isError])).toEqual(
      ['p1', 'w1', 's1', 'd1', 'v1'].map((callId) => [callId, false]),
    )
    expect(ended[4]?.data).toMatchObject({
      details: { origin: 'tool', upstream: [{ callId: 's1' }, { callId: 'w1' }] },
    })
    expect(events.at(-1)?.type).toBe('run.completed')
  })

  test('every replica shows a watcher the same events', async () => {
    const events = eventsOf(await run('watched', [step(shell('s1', 'true')), { text: 'Done.' }]))
    for (const name of ['orchestrator-0', 'orchestrator-1']) {
      const { channel } = stack.process(name)
      await using watcher = watchRun(channel, String(events[0]?.data.runId))
      await watcher.waitForEnd()
      expect(watcher.events.map(({ position, type }) => [position, type])).toEqual(
        events.map(({ position, type }) => [position, type]),
      )
    }
  })

  test('the second run of a session goes on with its files and its script', async () => {
    const turns = [
      step(shell('s1', 'echo one > kept.txt')),
      { text: 'First.' },
      step(shell('s2', 'cat kept.txt')),
      { text: 'Second.' },
    ]
    const first = eventsOf(await run('first', turns))
    const session = String(first[0]?.data.sessionId)
    const second = eventsOf(await run('first', turns, '--session', session))
    expect(second[0]?.data).toMatchObject({ sessionId: session, turnsBefore: 2 })
    expect(typed(second, 'tool.call.completed')[0]?.data).toMatchObject({
      details: { execution: { stdout: 'one\n' } },
    })
  })

  test('another runner restores the workspace when its owner is killed', async () => {
    onTestFailed(() => {
      process.stderr.write(stack.logs())
    })
    const script = {
      turns: [
        step(shell('s1', 'mkdir d; echo kept > d/a.txt; chmod 700 d/a.txt')),
        { text: '', toolCalls: [shell('s2', 'cat d/a.txt; ls -l d/a.txt')], latencyMs: 1_000 },
        { text: 'Done.' },
      ],
    }
    const order = { key: 'restored', script, approve: 'always' } as const
    const { watcher, sessionId } = await startRun(stack.process('console').channel, order)
    await using _ = watcher
    await watcher.waitForType('execution.completed')
    await using roles = await rolesOf(stack, sessionId)
    const owner = await roles.ownerKnown()
    await stack.kill(owner)
    expect((await watcher.waitForEnd()).type).toBe('run.completed')
    await stack.start(owner)
    const shown = watcher.events.filter(({ type }) => type === 'tool.call.completed')[1]?.data
    expect(shown).toMatchObject({
      isError: false,
      details: { execution: { stdout: expect.stringMatching(/^kept\n-rwx------ /) } },
    })
    const claims = (await workspaceEvents(stack, sessionId)).filter(
      ({ type }) => type === 'workspace.claimed',
    )
    expect(new Set(claims.map(({ data }) => JSON.stringify(data))).size).toBe(2)
  })

  test('the doctor finds every replica it is sent to well', async () => {
    const outcome = await stack.scid('doctor', '--json')
    expect(JSON.parse(outcome.stdout)).toMatchObject({ healthy: true })
    expect(outcome.code).toBe(0)
  })
})
