import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isPlatformError } from '@sciencediscovery/kernel'
import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createWorld,
  inWorkspace,
  type Replica,
  type World,
} from '../../services/execution-runner/src/testing/runner-fixture.js'
import { canary } from './attack-case.js'

let world: World
let replica: Replica
/** World-writable, outside of every workspace. */
let outside: string

beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'scid-outside-'))
  await chmod(outside, 0o777)
  await writeFile(join(outside, 'secret.txt'), canary)
  world = await createWorld()
  replica = await world.startReplica('attacked')
  await replica.run(
    [
      `ln -s ${outside} out`,
      `ln -s ${outside}/secret.txt secret-link`,
      'ln -s .. up',
      'ln -s / root',
      'ln -s loop2 loop1; ln -s loop1 loop2',
      'ln -s /proc/self/root proc-root',
      'mkfifo pipe',
      'mkdir -p real/deep && echo inside > real/deep/file.txt',
    ].join('\n'),
  )
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(outside, { recursive: true, force: true })
})

const hostile: readonly (readonly [string, string])[] = [
  ['a parent', '../x.txt'],
  ['a parent from below', 'a/../../x.txt'],
  ['many parents', '../../../../../../../../tmp/x.txt'],
  ['an absolute path', '/etc/passwd'],
  ['the alias and a parent', '/workspace/../etc/passwd'],
  ['a name that starts like the alias', '/workspaces/x.txt'],
  ['NUL', 'notes.md\0.png'],
  ['a link to a directory outside', 'out/secret.txt'],
  ['a link to a file outside', 'secret-link'],
  ['a link to the parent', 'up/x.txt'],
  ['a link to the root', 'root/etc/passwd'],
  ['a link to the root of a process', 'proc-root/etc/passwd'],
  ['a loop of links', 'loop1/x.txt'],
  ['a pipe', 'pipe'],
  ['a pipe as a directory', 'pipe/x.txt'],
  ['a name of 300 bytes', 'n'.repeat(300)],
  ['a path of 70,000 bytes', 'd/'.repeat(35_000)],
  ['only dots', '..'],
  ['the root itself', '.'],
]

/** Names that are only odd: they may work inside, and nowhere else. */
const odd: readonly (readonly [string, string])[] = [
  ['backslashes', '..\\win.txt'],
  ['a drive', 'C:\\x.txt'],
  ['escaped parents', '%2e%2e/x.txt'],
  ['wide dots', '．．/x.txt'],
  ['a newline', 'a\nb.txt'],
  ['a dash', '-rf'],
  ['a tilde', '~/x.txt'],
  ['a variable', '$HOME/x.txt'],
  ['a command', '$(touch x)/x.txt'],
  ['a trailing blank', 'x.txt '],
  ['the other direction of writing', '\u202etxt.exe'],
]

const content = Buffer.from('written by an attack\n')
let keys = 0
const operations = {
  read: (path: string) =>
    replica.files.readFile({ ...inWorkspace, path, offset: 1n, limit: 10, charOffset: 0n }),
  write: (path: string) =>
    replica.files.writeFile({
      ...inWorkspace,
      ...{ path, content, effectKey: `attack-${(keys += 1)}` },
      conflict: Conflict.CONFLICT_OVERWRITE,
    }),
  edit: (path: string) =>
    replica.files.editFile({
      ...inWorkspace,
      ...{ path, effectKey: `attack-${(keys += 1)}`, replaceAll: true },
      ...{ oldString: 'a', newString: 'b' },
    }),
  list: (path: string) =>
    replica.files.listFiles({
      ...inWorkspace,
      ...{ path, recursive: true, limit: 100, after: '' },
    }),
  resolve: async (path: string) => {
    const { files } = await replica.files.resolveFiles({ ...inWorkspace, paths: [path] })
    return files
  },
  download: async (path: string) => {
    const pieces: Uint8Array[] = []
    for await (const piece of replica.files.downloadFile({ ...inWorkspace, path }))
      pieces.push(piece.content)
    return Buffer.concat(pieces).toString('latin1')
  },
}

const shown = (answer: unknown): string =>
  JSON.stringify(answer, (_key, value: unknown) =>
    typeof value === 'bigint'
      ? Number(value)
      : value instanceof Uint8Array
        ? Buffer.from(value).toString('latin1')
        : value,
  )

/** Nothing outside was read or written, whatever was answered. */
async function tryAt(operation: keyof typeof operations, path: string): Promise<string> {
  try {
    const answer = shown(await operations[operation](path))
    expect(answer).not.toContain(canary)
    expect(answer).not.toContain('root:x:0')
    return 'answered'
  } catch (error) {
    if (!isPlatformError(error)) throw error
    return error.code
  } finally {
    expect(await readdir(outside)).toEqual(['secret.txt'])
  }
}

describe('S3 paths that lead out', () => {
  const names = ['read', 'write', 'edit', 'download'] as const
  describe.each(names)('%s', (operation) => {
    test.each(hostile)('refuses %s', async (_what, path) => {
      expect(['invalid', 'not_found', 'refused']).toContain(await tryAt(operation, path))
    })
    test.each(odd)('stays inside with %s', async (_what, path) => {
      expect(['answered', 'invalid', 'not_found']).toContain(await tryAt(operation, path))
    })
  })
  test.each(hostile)('list and resolve show nothing of %s', async (_what, path) => {
    await tryAt('list', path)
    await tryAt('resolve', path)
  })
})

describe('S3 a directory is exchanged for a link meanwhile', () => {
  test('10,000 tries read and write nothing outside', { timeout: 600_000 }, async () => {
    const directory = await directoryOf('real')
    await writeFile(join(outside, 'file.txt'), canary)
    await rm(join(outside, 'secret.txt'))
    // As fast as a shell can: the directory, a link to the outside, and back.
    const swap = `cd ${directory}; while :; do mv real aside; ln -s ${outside} real; rm real; mv aside real; done`
    const swapper = spawn('/bin/bash', ['-c', swap], { stdio: 'ignore' })
    const answers = new Map<string, number>()
    const note = (answer: string): void => {
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
    try {
      const round = async (index: number): Promise<void> => {
        const path = 'real/file.txt'
        try {
          const answer =
            index % 50 === 0
              ? await operations.write(`real/new-${index}.txt`)
              : await operations.read(path)
          expect(shown(answer)).not.toContain(canary)
          note('answered')
        } catch (error) {
          if (!isPlatformError(error)) throw error
          note(error.code)
        }
      }
      for (let index = 0; index < 10_000; index += 8)
        await Promise.all(Array.from({ length: 8 }, (_, at) => round(index + at)))
    } finally {
      swapper.kill('SIGKILL')
    }
    expect(await readdir(outside)).toEqual(['file.txt'])
    // The attack was one: some tries met the directory and some met the link.
    expect([...answers.keys()].length).toBeGreaterThan(1)
  })
})

const run = promisify(execFile)

/** Where the workspace is on this machine: what an attacker inside does not know. */
async function directoryOf(name: string): Promise<string> {
  const places = [world.directory, '/var/lib/sciencediscovery']
  const { stdout } = await run('find', [...places, '-path', '*/deep/file.txt'], {}).catch(
    (error: unknown) => {
      if (error instanceof Error && 'stdout' in error) return { stdout: String(error.stdout) }
      throw error
    },
  )
  const found = stdout.split('\n').find((line) => line.endsWith(`/${name}/deep/file.txt`)) ?? ''
  return dirname(dirname(dirname(found)))
}
