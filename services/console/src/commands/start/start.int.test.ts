import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startStack } from '../../stack-fixture.js'
import type { Play } from '../../world-fixture.js'
import { invoke, invokeAt } from '../../scid-fixture.js'

const usage = { modelTurns: 1, inputTokens: 0, outputTokens: 0, costUsd: 0, unpricedTurns: 0 }
const completes: Play = (run) => {
  run.emit('run.completed', { usage })
  return Promise.resolve()
}
let directory = ''
const write = async (name: string, content: string | Buffer): Promise<string> => {
  const path = join(directory, name)
  await writeFile(path, content)
  return path
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-start-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('scid run --model scripted:FILE', () => {
  test('sends the content of the script, without a byte order mark', async () => {
    await using stack = await startStack(completes)
    const path = await write('script.json', '\ufeff{"turns":[{"text":"序列"}]}')
    expect(await invokeAt(stack, ['run', 'x', '--model', `scripted:${path}`]).exit).toBe(0)
    const [request] = stack.asked('startRun')
    expect(request).toMatchObject({ model: '', script: Buffer.from('{"turns":[{"text":"序列"}]}') })
  })

  test.each([
    ['broken.json', '{"turns":[\n  {"text": "a",}\n]}', 'broken.json:2:15: a comma stands before'],
    ['cut.json', '{"turns":[{"text":"a"}', "cut.json:1:23: expected ',' or ']'"],
    ['empty.json', '{}', 'has no list of turns'],
    ['bytes.json', Buffer.from([0x7b, 0xff]), 'is not UTF-8 text'],
    ['deep.json', '['.repeat(100_000), 'nested deeper than 200 levels'],
    ['big.json', Buffer.alloc(8 * 1024 * 1024, 0x20), 'the limit is 8388607'],
  ])('%s is exit 2 with its place, before anything starts', async (name, content, problem) => {
    const path = await write(name, content)
    const run = invoke(['run', 'x', '--model', `scripted:${path}`])
    expect(await run.exit).toBe(2)
    expect(run.stderr()).toContain(problem)
    expect(run.stderr().trim().split('\n')).toHaveLength(1)
  })

  test('a script that the stack refuses is exit 2 with its place', async () => {
    await using stack = await startStack(completes)
    const path = await write('refused.json', '{"turns":[{"refuse":1}]}')
    const run = invokeAt(stack, ['run', 'x', '--model', `scripted:${path}`])
    expect(await run.exit).toBe(2)
    expect(run.stderr()).toContain('turns[0]')
  })

  test.each([
    ['scripted:', 'names no model'],
    ['gpt-5', 'names no model'],
    ['scripted:/nowhere/x.json', '/nowhere/x.json does not exist'],
    ['scripted:/tmp', '/tmp is a directory'],
  ])('--model %s is exit 2', async (model, problem) => {
    const run = invoke(['run', 'x', '--model', model])
    expect(await run.exit).toBe(2)
    expect(run.stderr()).toContain(problem)
  })
})

describe('scid run --input FILE[=DEST]', () => {
  test('uploads each file, whole, before the run starts', async () => {
    await using stack = await startStack(completes)
    const big = await write('big.bin', Buffer.alloc(700_000, 7))
    const csv = await write('a.csv', 'x,y\n')
    const inputs = ['--input', big, '--input', `${csv}=数据/b.csv`, '--input', `${csv}=in/`]
    expect(await invokeAt(stack, ['run', 'x', ...inputs]).exit).toBe(0)
    expect([...stack.world.files].map(([name, content]) => [name, content.length])).toEqual([
      ['big.bin', 700_000],
      ['数据/b.csv', 4],
      ['in/a.csv', 4],
    ])
    expect(stack.asked('uploadFile')).toMatchObject([{ conflict: 2, projectId: 'default' }, {}, {}])
    expect(stack.world.asked.at(-2)?.method).toBe('startRun')
  })

  test("a name that holds '=' is taken as it is", async () => {
    await using stack = await startStack(completes)
    const path = await write('k=v.csv', 'x')
    const inputs = ['--input', path, '--input', `${path}=b=c.csv`]
    expect(await invokeAt(stack, ['run', 'x', ...inputs]).exit).toBe(0)
    expect([...stack.world.files.keys()]).toEqual(['k=v.csv', 'b=c.csv'])
  })

  test('an empty file is uploaded', async () => {
    await using stack = await startStack(completes)
    const path = await write('empty.csv', '')
    expect(await invokeAt(stack, ['run', 'x', '--input', path]).exit).toBe(0)
    expect(stack.world.files.get('empty.csv')).toEqual(Buffer.alloc(0))
  })

  test('files that cannot go anywhere are exit 2, before anything starts', async () => {
    await mkdir(join(directory, 'folder'), { recursive: true })
    const path = await write('one.csv', '1')
    const problems: [string[], string][] = [
      [['--input', '/nowhere/x.csv=y'], '/nowhere/x.csv does not exist'],
      [['--input', join(directory, 'folder')], 'is a directory'],
      [['--input', path, '--input', path], 'two files go to one.csv'],
      [['--input', `${path}=`], 'no destination after'],
    ]
    for (const [argv, problem] of problems) {
      const run = invoke(['run', 'x', ...argv])
      expect(await run.exit).toBe(2)
      expect(run.stderr()).toContain(problem)
    }
  })
})
