import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { withEnvironment } from '../harness/environment.js'
import { type TestStack, startTestStack } from '../harness/local-stack.js'

let environment: Disposable
let stack: TestStack
beforeAll(async () => {
  environment = withEnvironment({ SCIENCE_AGENT_WORKSPACE_UPLOAD_MAX_FILE_BYTES: '1MiB' })
  stack = await startTestStack()
}, 120_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  environment[Symbol.dispose]()
})

const RecordSchema = z.object({
  name: z.string(),
  version: z.int(),
  sha256: z.string(),
  path: z.string(),
  sessionId: z.string(),
  kind: z.string(),
})

async function local(name: string, content: string | Buffer): Promise<string> {
  const file = join(stack.dataDir, name)
  await writeFile(file, content)
  return file
}

async function put(...args: readonly string[]) {
  const { code, stdout, stderr } = await stack.scid('artifacts', 'put', ...args, '--json')
  expect(code, stderr).toBe(0)
  return RecordSchema.parse(JSON.parse(stdout))
}

describe('scid artifacts put', () => {
  test('S-52: a file gets a place in the workspace and is an artifact at the entrance', async () => {
    const file = await local('plate.csv', 'well,od\nA1,0.4\n')
    const found = await put(file)
    const sha256 = createHash('sha256').update('well,od\nA1,0.4\n').digest('hex')
    expect(found).toMatchObject({ name: 'plate.csv', version: 1, sha256, kind: 'dataset' })
    const got = await stack.scid('artifacts', 'get', 'plate.csv')
    expect(got.stdout).toBe('well,od\nA1,0.4\n')
    const list = await stack.scid('artifacts', '--json')
    expect(list.stdout).toContain('"origin":"upload"')
  })

  test('S-52: what is taken is refused, replaced or kept beside, as was asked', async () => {
    const first = await put(await local('notes.txt', 'one\n'), '--name', 'data/notes.txt')
    const into = ['--session', first.sessionId, '--name', 'data/notes.txt']
    const file = await local('notes.txt', 'two\n')
    const refused = await stack.scid('artifacts', 'put', file, ...into)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('exists')])
    const replaced = await put(file, ...into, '--conflict', 'overwrite')
    expect(replaced).toMatchObject({ name: 'data/notes.txt', version: 2 })
    const beside = await put(file, ...into, '--conflict', 'rename')
    expect(beside).toMatchObject({ name: 'data/notes-1.txt', version: 1 })
  })

  test('S-52: a file over the limit is refused by the limit, and leaves nothing', async () => {
    const file = await local('large.bin', Buffer.alloc(1024 * 1024 + 1))
    const { code, stderr } = await stack.scid('artifacts', 'put', file)
    expect([code, stderr]).toEqual([1, expect.stringContaining('1048576 bytes')])
    expect((await stack.scid('artifacts', '--json')).stdout).not.toContain('large.bin')
  })

  test.each([
    [['missing.txt'], 'does not exist'],
    [['--conflict', 'merge'], 'give one of reject, overwrite, rename'],
    [['--name', '../../x.md'], "points outside with '..'"],
  ])('BR-037: %j is refused and says why', async (args, words) => {
    const file = args[0]?.startsWith('--') ? [await local('ok.txt', 'ok\n')] : []
    const { code, stderr } = await stack.scid('artifacts', 'put', ...file, ...args)
    expect(code).toBeGreaterThan(0)
    expect(stderr).toContain(words)
  })
})
