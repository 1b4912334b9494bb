import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { addRun, startStack, type StackFixture } from '../stack-fixture.js'
import { provenanceJson } from '../stack-fixture-files.js'
import { invoke, invokeAt, parseRecord } from '../scid-fixture.js'

const runId = 'r-3-00000000000000aa-default'

async function output(stack: StackFixture, ...argv: string[]): Promise<string> {
  const invocation = invokeAt(stack, argv)
  expect(await invocation.exit).toBe(0)
  expect(invocation.stderr()).toBe('')
  return invocation.stdout()
}

describe('listings', () => {
  test('scid runs --json is one document with figures as numbers', async () => {
    await using stack = await startStack()
    addRun(stack.world, runId).emit('run.completed')
    expect(parseRecord(await output(stack, 'runs', '--json'))).toMatchObject({
      runs: [
        { runId, status: 'completed', usage: { modelTurns: 2, inputTokens: 10, costUsd: 0.5 } },
      ],
    })
  })

  test('scid runs is a table that a task cannot break', async () => {
    await using stack = await startStack()
    addRun(stack.world, runId)
    expect((await output(stack, 'runs')).split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['RUN', 'STATUS', 'STARTED', 'MODEL', 'TASK'],
      [runId, 'running', '2026-01-01T00:00:00', 'm', 'count⏎\\x1b[31m'],
      [''],
    ])
  })

  test('scid sessions reads every page, and no more than --limit', async () => {
    await using stack = await startStack()
    const settings = { approvalMode: 'ask', inputPolicy: 'enqueue', title: 'orchids' }
    expect(parseRecord(await output(stack, 'sessions', '--json'))).toMatchObject({
      sessions: [{ settings }, { settings }],
    })
    expect((await output(stack, 'sessions', '--limit', '1')).trim().split('\n')).toHaveLength(2)
  })

  test('scid plan shows where each step is', async () => {
    await using stack = await startStack()
    addRun(stack.world, runId)
    expect(await output(stack, 'plan', runId)).toBe('✔ count\n▶ plot\\x1b[2J\nafter a look\n')
    expect(parseRecord(await output(stack, 'plan', runId, '--json'))).toEqual({
      runId,
      agentId: 'a',
      items: [
        { step: 'count', status: 'completed' },
        { step: 'plot\x1b[2J', status: 'in_progress' },
      ],
      explanation: 'after a look',
      position: 7,
    })
  })

  test('scid doctor puts the worst first, each with its remedy, and exits 1', async () => {
    await using stack = await startStack()
    const doctor = invokeAt(stack, ['doctor'])
    expect(await doctor.exit).toBe(1)
    expect(doctor.stdout()).toBe(
      'agent-orchestrator\n  ✘ view:runs: stopped at 7\n      run make migrate\n  ✔ event-store: writes\n\n' +
        'tool-gateway\n  ✔ answers: at unix:x\n\n3 checks: 1 errors, 0 warnings\n',
    )
    const json = invokeAt(stack, ['doctor', '--json'])
    expect(await json.exit).toBe(1)
    expect(parseRecord(json.stdout())).toMatchObject({
      healthy: false,
      services: [
        { service: 'agent-orchestrator', worst: 'error' },
        { service: 'tool-gateway', worst: 'ok' },
      ],
    })
  })

  test('scid doctor reports a server that does not answer as a finding', async () => {
    const doctor = invoke(['doctor', '--json', '--server', '127.0.0.1:1'])
    expect(await doctor.exit).toBe(1)
    expect(parseRecord(doctor.stdout())).toMatchObject({
      services: [
        {
          service: 'stack',
          findings: [{ severity: 'error', message: 'nothing answers at 127.0.0.1:1' }],
        },
      ],
    })
  })

  test('scid provenance --json is the record exactly as the service sends it', async () => {
    await using stack = await startStack()
    expect(await output(stack, 'provenance', 'gc.svg', '--json')).toBe(`${provenanceJson}\n`)
    expect(await output(stack, 'provenance', 'gc.svg')).toContain(
      'gc.svg [aaaaaaaaaaaa · agent · 1 revision]',
    )
  })

  test('scid provenance takes the project of the session', async () => {
    await using stack = await startStack()
    await output(
      stack,
      'provenance',
      'gc.svg',
      '--session',
      's-00000000000000aa-flowers',
      '--version',
      '2',
    )
    expect(stack.asked('getFileProvenance')).toMatchObject([
      { projectId: 'flowers', sessionId: 's-00000000000000aa-flowers', version: 2 },
    ])
  })

  test('scid stop asks and says where the run is', async () => {
    await using stack = await startStack()
    addRun(stack.world, runId)
    expect(await output(stack, 'stop', runId)).toBe(`${runId} cancelling\n`)
  })
})

describe('scid artifacts', () => {
  test('--json lists name, version, origin and kind', async () => {
    await using stack = await startStack()
    stack.world.files.set('gc.csv', Buffer.from('x'))
    const record = parseRecord(await output(stack, 'artifacts', '--project', 'flowers', '--json'))
    expect(record).toMatchObject({
      artifacts: [{ name: 'gc.csv', version: 1, origin: 'upload', kind: 'dataset' }],
    })
    expect(stack.asked('listArtifacts')).toMatchObject([{ projectId: 'flowers' }])
  })

  test('get writes the bytes to standard output, or to a file, or into a directory', async () => {
    await using stack = await startStack()
    const content = Buffer.from([0, 1, 2, 253, 254, 255, 10])
    stack.world.files.set('数据/x.bin', content)
    const directory = await mkdtemp(join(tmpdir(), 'scid-get-'))
    const piped = new PassThrough()
    const pieces: Buffer[] = []
    piped.on('data', (piece: Buffer) => pieces.push(piece))
    expect(await invokeAt(stack, ['artifacts', 'get', '数据/x.bin'], { stdout: piped }).exit).toBe(
      0,
    )
    expect(Buffer.concat(pieces)).toEqual(content)
    const file = join(directory, 'y.bin')
    await mkdir(join(directory, 'into'))
    for (const target of [file, join(directory, 'into')]) {
      const get = invokeAt(stack, [
        'artifacts',
        'get',
        '数据/x.bin',
        '--version',
        '1',
        '-o',
        target,
      ])
      expect(await get.exit).toBe(0)
    }
    expect(await readFile(file)).toEqual(content)
    expect(await readFile(join(directory, 'into', 'x.bin'))).toEqual(content)
    await rm(directory, { recursive: true })
  })

  test('get of an unknown artifact is exit 1 and leaves no file', async () => {
    await using stack = await startStack()
    const directory = await mkdtemp(join(tmpdir(), 'scid-get-'))
    const get = invokeAt(stack, ['artifacts', 'get', 'no.csv', '-o', join(directory, 'no.csv')])
    expect(await get.exit).toBe(1)
    expect(get.stderr()).toContain('artifact no.csv not found')
    expect(await readdir(directory)).toEqual([])
    await rm(directory, { recursive: true })
  })

  test('get to a terminal shows text harmless and refuses anything else', async () => {
    await using stack = await startStack()
    stack.world.files.set('a.md', Buffer.from('héllo \x1b[2J\n'))
    stack.world.files.set('b.bin', Buffer.from([0x61, 0x00, 0x62]))
    const screen = (): { stdout: PassThrough; shown: () => string } => {
      const pieces: Buffer[] = []
      const stdout = Object.assign(new PassThrough(), { isTTY: true })
      stdout.on('data', (piece: Buffer) => pieces.push(piece))
      return { stdout, shown: () => Buffer.concat(pieces).toString() }
    }
    const text = screen()
    expect(await invokeAt(stack, ['artifacts', 'get', 'a.md'], { stdout: text.stdout }).exit).toBe(
      0,
    )
    expect(text.shown()).toBe('héllo \\x1b[2J\n')
    const binary = screen()
    const get = invokeAt(stack, ['artifacts', 'get', 'b.bin'], { stdout: binary.stdout })
    expect(await get.exit).toBe(2)
    expect(get.stderr()).toContain('b.bin is not text')
  })
})
