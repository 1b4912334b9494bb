import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type TestStack, startTestStack } from '../harness/local-stack.js'
import { type ProvDocument, provProblems } from '../harness/prov-json.js'
import { crateEntities, crateProblems } from '../harness/ro-crate.js'
import { call, scriptFile, shell } from '../harness/story.js'

const StepSchema = z.object({
  callId: z.string(),
  inputs: z.array(z.object({ path: z.string(), origin: z.string(), evidence: z.string() })),
})
const RecordSchema = z.object({
  origin: z.string(),
  fileId: z.string(),
  session: z.object({ id: z.string() }),
  workspaceId: z.string(),
  revisions: z.array(
    z.object({ path: z.string(), sha256: z.string(), origin: z.string(), callId: z.string() }),
  ),
  upstream: z.array(StepSchema),
  artifactVersions: z.array(z.object({ name: z.string(), version: z.number() })),
  broken: z.boolean(),
})
const DownstreamSchema = z.object({
  sha256: z.string(),
  downstream: z.array(z.object({ hop: z.number(), callId: z.string() })),
  files: z.array(z.object({ path: z.string(), callId: z.string() })),
  artifactVersions: z.array(z.object({ name: z.string(), version: z.number() })),
  possible: z.array(z.object({ callId: z.string() })),
})

let stack: TestStack
let sessionId = ''
beforeAll(async () => {
  stack = await startTestStack()
  const raw = join(stack.dataDir, 'counts.csv')
  await writeFile(raw, 'gene,count\na,3\nb,5\n')
  const model = await scriptFile(stack, 'figure', [
    {
      text: '',
      toolCalls: [
        shell(
          's1',
          'mkdir -p out && awk -F, \'NR>1{print $1","2*$2}\' raw/counts.csv > out/doubled.csv',
        ),
      ],
    },
    {
      text: '',
      toolCalls: [
        shell(
          's2',
          'awk -F, \'{print "<rect width=\\""$2"\\"/>"}\' out/doubled.csv > "out/fig 图.svg"',
        ),
      ],
    },
    {
      text: '',
      toolCalls: [call('d1', 'declare_artifact', { path: 'out/fig 图.svg', name: 'figure' })],
    },
    {
      text: '',
      toolCalls: [shell('s3', 'mkdir -p final && mv "out/fig 图.svg" final/figure.svg')],
    },
    { text: 'done' },
  ])
  const args = ['--model', model, '--approve', 'always', '--input', `${raw}=raw/counts.csv`]
  const { code, stderr } = await stack.scid('run', 'draw it', ...args)
  expect(code, stderr).toBe(0)
  sessionId = (await ask('final/figure.svg')).session.id
}, 180_000)
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
})

async function scid(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await stack.scid(...args)
  expect(code, stderr).toBe(0)
  return stdout
}

async function ask(path: string, ...args: readonly string[]) {
  return RecordSchema.parse(JSON.parse(await scid('provenance', path, '--json', ...args)))
}

async function downstream(path: string, ...args: readonly string[]) {
  const text = await scid('provenance', path, '--downstream', '--json', ...args)
  return DownstreamSchema.parse(JSON.parse(text))
}

/** Where the runner keeps a workspace: with the data, or where the users of its slots can pass. */
async function filesOf(workspaceId: string): Promise<string> {
  const shared = '/var/lib/sciencediscovery'
  const roots = await readdir(shared).catch(() => [])
  const places = [join(stack.dataDir, 'runner'), ...roots.map((name) => join(shared, name))].map(
    (root) => join(root, 'w', workspaceId, 'files'),
  )
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error(`no directory of ${workspaceId}`)
  return found
}

describe('upload, table, figure, artifact, rename', () => {
  test('S-03 the renamed figure is the same file, made from the upload', async () => {
    const figure = await ask('final/figure.svg')
    expect(figure.revisions.map(({ callId, path }) => [callId, path])).toEqual([
      ['s2', 'out/fig 图.svg'],
      ['s3', 'final/figure.svg'],
    ])
    expect((await ask('figure')).fileId).toBe(figure.fileId)
    expect(figure.upstream.map(({ callId }) => callId)).toEqual(['s3', 's2', 's1'])
    expect(figure.upstream.at(-1)?.inputs).toContainEqual({
      ...{ path: 'raw/counts.csv', origin: 'upload', evidence: 'observed' },
    })
    expect(figure.artifactVersions).toEqual([{ name: 'figure', version: 1 }])
    expect(figure.broken).toBe(false)
  })

  test('downstream of the upload names the figure, its artifact and its new place', async () => {
    const found = await downstream('raw/counts.csv')
    expect(found.downstream.map(({ hop, callId }) => [hop, callId])).toEqual([
      [1, 's1'],
      [2, 's2'],
      [3, 's3'],
    ])
    expect(found.files.map(({ path }) => path)).toEqual([
      'out/doubled.csv',
      'out/fig 图.svg',
      'final/figure.svg',
    ])
    const names = found.artifactVersions.map(({ name }) => name)
    expect(names).toEqual(['raw/counts.csv', 'figure'])
    expect(found.possible.map(({ callId }) => callId)).toEqual(['s2', 's3'])
    expect(await downstream('raw/counts.csv', '--sha256', found.sha256)).toEqual(found)
    const text = await scid('provenance', 'raw/counts.csv', '--downstream')
    expect(text).toContain('figure version 1')
  })

  test('PROV-JSON declares what it relates, and every relation cites its event', async () => {
    const text = await scid('provenance', 'final/figure.svg', '--format', 'prov-json')
    const document = JSON.parse(text) as ProvDocument
    expect(provProblems(document)).toEqual([])
    expect(Object.keys(document.used ?? {})).toHaveLength(3)
    expect(Object.keys(document.activity ?? {})).toHaveLength(3)
    expect(text).toContain('raw/counts.csv')
    const file = join(stack.dataDir, 'figure.prov.json')
    await scid('provenance', 'figure', '--format', 'prov-json', '-o', file)
    expect(provProblems(JSON.parse(await readFile(file, 'utf8')) as ProvDocument)).toEqual([])
  })

  test('an RO-Crate holds every file it lists, with size and digest, and nothing else', async () => {
    const directory = join(stack.dataDir, 'crate')
    await scid('provenance', 'final/figure.svg', '--format', 'ro-crate', '-o', directory)
    expect(await crateProblems(directory)).toEqual([])
    const entities = await crateEntities(directory)
    const names = entities.filter((one) => one['@type'] === 'File').map(({ name }) => name)
    expect(names).toEqual([
      'final/figure.svg',
      'out/fig 图.svg',
      'out/doubled.csv',
      'raw/counts.csv',
    ])
    const actions = entities.filter((one) => one['@type'] === 'CreateAction')
    expect(actions).toHaveLength(3)
    for (const action of actions)
      for (const key of ['instrument', 'object', 'result', 'agent', 'startTime', 'endTime'])
        expect(action, key).toHaveProperty(key)
    const content = await readFile(join(directory, 'data/raw/counts.csv'), 'utf8')
    expect(content).toBe('gene,count\na,3\nb,5\n')
  })

  test.each([
    [['--format', 'ro-crate'], 'give -o DIR'],
    [['--format', 'ro-crate', '-o', '.'], 'is there already'],
    [['--format', 'prov-json', '--json'], '--format'],
    [['--sha256', 'abc'], '64 hexadecimal digits'],
    [['-o', 'x.json'], '--output'],
  ])('BR-065 %j is refused and says why', async (args, words) => {
    const { code, stdout, stderr } = await stack.scid('provenance', 'figure', ...args)
    expect([code > 0, stdout]).toEqual([true, ''])
    expect(stderr).toContain(words)
  })
})

describe('a file that was changed behind the platform between two executions', () => {
  test('S-03 has a revision of unknown origin, and what was made of it has a broken chain', async () => {
    const { workspaceId } = await ask('out/doubled.csv', '--session', sessionId)
    await stack.restart()
    const file = join(await filesOf(workspaceId), 'out/doubled.csv')
    await writeFile(file, 'a,600\n')
    const model = await scriptFile(stack, 'again', [
      { text: '' },
      { text: '' },
      { text: '' },
      { text: '' },
      { text: '' },
      { text: '', toolCalls: [shell('t1', 'cat out/doubled.csv > final/copy.csv')] },
      { text: 'done' },
    ])
    await scid('run', 'again', '--session', sessionId, '--model', model, '--approve', 'always')
    const doubled = await ask('out/doubled.csv', '--session', sessionId)
    expect(doubled.revisions.map(({ origin, callId }) => [origin, callId])).toEqual([
      ['tool', 's1'],
      ['unknown', ''],
    ])
    const sha256 = createHash('sha256').update('a,600\n').digest('hex')
    expect(doubled.revisions.at(-1)?.sha256).toBe(sha256)
    const copy = await ask('final/copy.csv', '--session', sessionId)
    expect(copy.upstream[0]?.inputs).toContainEqual({
      ...{ path: 'out/doubled.csv', origin: 'unknown', evidence: 'observed' },
    })
    expect(copy.broken).toBe(true)
  }, 120_000)
})
