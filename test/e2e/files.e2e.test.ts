import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ExecutionServiceService } from '@sciencediscovery/proto-gen/executions/v1/executions_service'
import { rpcClient } from '@sciencediscovery/service-kit'
import { until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type TestStack, scidBytes, startTestStack } from '../harness/local-stack.js'
import { openSession, shell, start, toEnd } from '../harness/story.js'

const run = promisify(execFile)
let stack: TestStack
let folder: string
beforeAll(async () => {
  stack = await startTestStack()
  folder = await mkdtemp(join(tmpdir(), 'scid-files-'))
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const ListSchema = z.object({
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number(), modifiedAt: z.string() })),
})

/** A session in which the command was run; its execution. */
async function ran(key: string, command: string): Promise<{ session: string; execution: string }> {
  const session = await openSession(stack, key)
  const turns = [{ text: '', toolCalls: [shell('s1', command)] }, { text: 'done' }]
  const events = await toEnd(stack, await start(stack, session, key, { turns }))
  const completed = events.find(({ type }) => type === 'execution.completed')
  return { session, execution: String(completed?.data.executionId) }
}

describe('scid files', () => {
  test('puts, lists and gets the bytes of a file; a conflict is decided by the caller', async () => {
    const session = await openSession(stack, 'put')
    const bytes = randomBytes(300_000)
    const local = join(folder, 'reads.bin')
    await writeFile(local, bytes)
    const put = (...more: readonly string[]) =>
      stack.scid('files', 'put', local, 'data/reads.bin', '--session', session, ...more)
    expect(await put()).toMatchObject({ code: 0, stdout: 'data/reads.bin\n' })
    const refused = await put()
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('data/reads.bin')
    expect(await put('--conflict', 'overwrite')).toMatchObject({ code: 0 })
    const renamed = (await put('--conflict', 'rename')).stdout.trim()
    expect(renamed).not.toBe('data/reads.bin')
    expect(await put('--conflict', 'maybe')).toMatchObject({ code: 2 })
    const listed = await stack.scid('files', 'ls', '--session', session, '--json')
    const { files } = ListSchema.parse(JSON.parse(listed.stdout))
    expect(files.map(({ path, sizeBytes }) => [path, sizeBytes]).sort()).toEqual(
      [
        ['data/reads.bin', 300_000],
        [renamed, 300_000],
      ].sort(),
    )
    const copy = join(folder, 'copy.bin')
    const got = await stack.scid('files', 'get', 'data/reads.bin', '--session', session, '-o', copy)
    expect(got).toMatchObject({ code: 0, stdout: '' })
    expect((await readFile(copy)).equals(bytes)).toBe(true)
    const shown = await scidBytes(stack, ['files', 'get', renamed, '--session', session])
    expect(shown.stdout.equals(bytes)).toBe(true)
  })

  test('what is not there is told by name, and nothing is written', async () => {
    const session = await openSession(stack, 'absent')
    const target = join(folder, 'none')
    const get = await stack.scid('files', 'get', 'no.txt', '--session', session, '-o', target)
    expect([get.code, get.stderr]).toEqual([1, expect.stringContaining('no.txt')])
    await expect(stat(target)).rejects.toMatchObject({ code: 'ENOENT' })
    const outside = await stack.scid('files', 'get', '../x', '--session', session)
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('outside')])
    const unknown = await stack.scid('files', 'ls', '--session', 's-0000000000000000-default')
    expect(unknown.code).toBe(1)
  })

  test('I-18: another pool is refused by name', async () => {
    const session = await openSession(stack, 'pool')
    const listed = await stack.scid('files', 'ls', '--session', session, '--runner', 'gpu')
    expect([listed.code, listed.stderr]).toEqual([2, expect.stringContaining('gpu')])
  })

  test('the whole workspace is one archive: names, modes, large files', async () => {
    const long = `${'deep/'.repeat(30)}${'n'.repeat(120)}.txt`
    const { session } = await ran(
      'archive',
      `mkdir -p "$(dirname ${long})" empty; echo long > ${long}; echo ü > 'größe ü.txt'; printf '#!/bin/sh\\necho hi\\n' > run.sh; chmod 755 run.sh; : > nothing; chmod 600 nothing; head -c 30000000 /dev/urandom > big; sha256sum big ${long} 'größe ü.txt' run.sh nothing > sums`,
    )
    const file = join(folder, 'all.tar')
    const before = process.memoryUsage().rss
    const state = { most: before }
    const timer = setInterval(() => {
      state.most = Math.max(state.most, process.memoryUsage().rss)
    }, 20)
    const got = await stack.scid('files', 'archive', '--session', session, '-o', file)
    clearInterval(timer)
    expect(got).toMatchObject({ code: 0, stdout: '' })
    expect(state.most - before).toBeLessThan(64 * 1024 ** 2)
    const target = await mkdtemp(join(folder, 'all-'))
    await run('tar', ['-xpf', file, '-C', target])
    expect((await run('sha256sum', ['-c', 'sums'], { cwd: target })).stdout).toContain('big: OK')
    const modeOf = async (name: string) => (await stat(join(target, name))).mode & 0o777
    expect([await modeOf('run.sh'), await modeOf('nothing')]).toEqual([0o755, 0o600])
    expect((await stat(join(target, 'empty'))).isDirectory()).toBe(true)
  }, 60_000)
})

describe('scid logs', () => {
  test('writes the retained bytes of each stream unchanged, and nothing else', async () => {
    const { execution } = await ran(
      'logs',
      "printf '\\033[31mred\\033[0m \\377\\r\\n'; head -c 3000000 /dev/zero; printf 'e\\000rr' >&2",
    )
    const both = await scidBytes(stack, ['logs', execution])
    const out = Buffer.concat([
      Buffer.from('\u001b[31mred\u001b[0m \u00ff\r\n', 'latin1'),
      Buffer.alloc(3_000_000),
    ])
    expect(both.code).toBe(0)
    expect(both.stdout.equals(out)).toBe(true)
    expect(both.stderr.equals(Buffer.from('e\0rr'))).toBe(true)
    const only = await scidBytes(stack, ['logs', execution, '--stream', 'stderr'])
    expect([only.stdout.length, only.stderr.toString()]).toEqual([0, 'e\0rr'])
    expect(await stack.scid('logs', execution, '--stream', 'x')).toMatchObject({ code: 2 })
    expect(await stack.scid('logs', execution.replace(/^e-./, 'e-0'))).toMatchObject({ code: 1 })
  })

  test('--follow goes on until the execution ends', async () => {
    const session = await openSession(stack, 'follow')
    const command = 'echo first; until [ -e /workspace/go ]; do sleep 0.1; done; echo last'
    const turns = [
      {
        text: '',
        toolCalls: [{ id: 's1', name: 'run_shell', arguments: { command, background: true } }],
      },
      { text: 'done' },
    ]
    const events = await toEnd(stack, await start(stack, session, 'follow', { turns }))
    const ended = events.find(({ type }) => type === 'tool.call.completed')
    const DetailsSchema = z.object({ execution: z.object({ id: z.string() }) })
    const { execution } = DetailsSchema.parse(ended?.data.details)
    const snapshot = await stack.scid('logs', execution.id)
    expect(['', 'first\n']).toContain(snapshot.stdout)
    const following = stack.scid('logs', execution.id, '--follow')
    await until('it has begun', async () => (await stack.scid('logs', execution.id)).stdout !== '')
    await cancel(execution.id)
    expect((await following).stdout).toBe('first\n')
  })
})

/** Ends an execution as a person may. */
async function cancel(executionId: string): Promise<void> {
  const client = rpcClient(ExecutionServiceService, stack.channel)
  const workspaceId = executionId.replace(/^e-[0-9a-f]{16}-/, '')
  const place = { projectId: 'default', workspaceId, runnerId: 'local', executionId }
  await client.cancelExecution({ ...place, reason: 'cancelled' })
}
