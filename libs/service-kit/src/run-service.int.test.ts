import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from './wait-for.js'

/** What the process does beside running, by name. */
const program = `
import { z } from 'zod'
import { loadConfig } from './config.ts'
import { runService } from './run-service.ts'

const read = () => loadConfig(z.object({ MODE: z.string(), PORT: z.string(), HOST: z.string() }), process.env)
const say = (word) => process.stdout.write(word + '\\n')
const keepAlive = setInterval(() => undefined, 1000)

void runService('trial', read, async ({ MODE }) => {
  if (MODE === 'cannot-build') { clearInterval(keepAlive); throw new Error('database is down') }
  say('up')
  if (MODE === 'throws') setTimeout(() => { throw new Error('out of nowhere') }, 10)
  if (MODE === 'rejects') void Promise.reject(new Error('nobody awaits'))
  return {
    async [Symbol.asyncDispose]() {
      say('disposing')
      if (MODE === 'stuck') await new Promise(() => undefined)
      clearInterval(keepAlive)
      if (MODE === 'dispose-fails') throw new Error('cannot flush')
      say('disposed')
    },
  }
}, MODE_OPTIONS)
`

interface Trial {
  readonly pid: number
  readonly output: () => string
  readonly log: () => string
  readonly end: Promise<{ code: number | null; signal: string | null }>
  kill(signal: NodeJS.Signals): void
}

describe('runService', () => {
  let directory = ''
  const file = (): string => join(directory, 'trial.cjs')

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'run-service-'))
    const resolveDir = fileURLToPath(new URL('.', import.meta.url))
    const contents = program.replace('MODE_OPTIONS', '{ killAfterMs: 1500 }')
    await build({
      stdin: { contents, resolveDir, loader: 'ts' },
      outfile: file(),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      conditions: ['source'],
      logLevel: 'error',
    })
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  function start(env: Record<string, string>): Trial {
    const child = spawn(process.execPath, [file()], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let log = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
    const end = once(child, 'close').then(([code, signal]: unknown[]) => ({
      code: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
    }))
    return {
      pid: child.pid ?? 0,
      output: () => output,
      log: () => log,
      end,
      kill: (signal) => child.kill(signal),
    }
  }

  async function startUp(mode: string): Promise<Trial> {
    const trial = start({ MODE: mode, PORT: '1', HOST: 'h' })
    await waitFor(() => trial.output().includes('up'), {
      timeoutMs: 20_000,
      what: 'the process to be up',
    })
    return trial
  }

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s takes the service down and ends with 0',
    async (signal) => {
      const trial = await startUp('plain')
      await waitFor(() => trial.log().includes('"started"'))
      trial.kill(signal)
      expect(await trial.end).toEqual({ code: 0, signal: null })
      expect(trial.output()).toBe('up\ndisposing\ndisposed\n')
      const messages = trial
        .log()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
      expect(messages).toMatchObject([
        { service: 'trial', msg: 'started', pid: trial.pid },
        { msg: 'stopping' },
      ])
    },
  )

  test('a malformed environment stops the start, names every variable and ends with 1', async () => {
    const trial = start({ MODE: 'plain' })
    await waitFor(() => trial.log() !== '', { timeoutMs: 20_000 })
    expect(trial.log()).toContain('PORT: is not set')
    expect(trial.log()).toContain('HOST: is not set')
    expect(trial.output()).toBe('')
    // The interval of the program keeps it alive: the kill timer ends it.
    expect(await trial.end).toEqual({ code: null, signal: 'SIGKILL' })
  })

  test('a service that cannot be built ends with 1 and says why', async () => {
    const trial = start({ MODE: 'cannot-build', PORT: '1', HOST: 'h' })
    expect(await trial.end).toEqual({ code: 1, signal: null })
    expect(trial.log()).toContain('database is down')
  })

  test.each([
    ['throws', 'out of nowhere'],
    ['rejects', 'nobody awaits'],
  ])(
    'what %s outside every handler takes the service down in order and ends with 1',
    async (mode, text) => {
      const trial = await startUp(mode)
      expect(await trial.end).toEqual({ code: 1, signal: null })
      expect(trial.output()).toBe('up\ndisposing\ndisposed\n')
      expect(trial.log()).toContain(text)
    },
  )

  test('a part that does not stop cleanly ends with 1 and says so', async () => {
    const trial = await startUp('dispose-fails')
    trial.kill('SIGTERM')
    expect(await trial.end).toEqual({ code: 1, signal: null })
    expect(trial.log()).toContain('cannot flush')
  })

  test('a service that hangs while it stops is killed after the time', async () => {
    const trial = await startUp('stuck')
    trial.kill('SIGTERM')
    expect(await trial.end).toEqual({ code: null, signal: 'SIGKILL' })
    expect(trial.log()).toContain('did not stop in time')
  })

  test('a second signal ends a service that hangs at once', async () => {
    const trial = await startUp('stuck')
    trial.kill('SIGTERM')
    await waitFor(() => trial.output().includes('disposing'))
    trial.kill('SIGTERM')
    expect(await trial.end).toEqual({ code: null, signal: 'SIGTERM' })
  })
})
