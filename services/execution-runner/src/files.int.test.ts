import { Conflict } from '@sciencediscovery/proto-gen/workspaces/v1/workspaces'
import { WorkspaceChangedSchema } from '@sciencediscovery/run-events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorld, inWorkspace, type Replica, type World } from './testing/runner-fixture.js'

let world: World
let replica: Replica
const counter = { next: 1 }

beforeAll(async () => {
  world = await createWorld()
  replica = await world.startReplica('one')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const key = () => `k-${(counter.next += 1)}`
const write = (
  path: string,
  content: string | Buffer,
  over: { conflict?: Conflict; effectKey?: string } = {},
) =>
  replica.files.writeFile({
    ...{ ...inWorkspace, effectKey: key(), path, content: Buffer.from(content) },
    conflict: Conflict.CONFLICT_OVERWRITE,
    ...over,
  })
const edit = (path: string, oldString: string, newString: string, replaceAll = false) =>
  replica.files.editFile({
    ...inWorkspace,
    effectKey: key(),
    path,
    oldString,
    newString,
    replaceAll,
  })
const read = async (path: string, offset = 1n, limit = 0, charOffset = 0n) => {
  const { page } = await replica.files.readFile({ ...inWorkspace, path, offset, limit, charOffset })
  if (!page) throw new Error('no page')
  return page
}
const bytes = async (path: string) => {
  const pieces: Uint8Array[] = []
  for await (const { content } of replica.files.downloadFile({ ...inWorkspace, path }))
    pieces.push(content)
  return Buffer.concat(pieces)
}
const list = (path = '', recursive = true, limit = 0, after = '') =>
  replica.files.listFiles({ ...inWorkspace, path, recursive, limit, after })

describe('files › write', () => {
  test('BR-002: stores the bytes as they were sent, and commits them', async () => {
    const page = '<p>p &lt; 0.05 &amp;&amp; n &gt; 30</p>\n'
    const { file, effects } = await write('new/dir/legend.html', page)
    expect(file).toMatchObject({
      path: 'new/dir/legend.html',
      sizeBytes: 40n,
      mediaType: 'text/html',
    })
    expect((await bytes('new/dir/legend.html')).toString()).toBe(page)
    const [effect] = effects
    const event = {
      type: effect?.type,
      v: effect?.version,
      data: JSON.parse(effect?.dataJson ?? '') as unknown,
    }
    expect(WorkspaceChangedSchema.parse(event).data).toMatchObject({
      ...{ created: 1, origin: 'agent', callId: 'c1' },
      changes: {
        items: [{ path: 'new/dir/legend.html', sha256: file?.digest, change: 'created' }],
      },
    })
    expect(await world.blobs.stat(file?.digest ?? '')).toMatchObject({ sizeBytes: 40 })
  })

  test('H-02: an existing file is not replaced unless that was asked for', async () => {
    await write('taken.txt', 'first')
    const rejected = write('taken.txt', 'second', { conflict: Conflict.CONFLICT_REJECT })
    await expect(rejected).rejects.toMatchObject({ code: 'already_exists' })
    expect((await bytes('taken.txt')).toString()).toBe('first')
    const { file } = await write('taken.txt', 'third', { conflict: Conflict.CONFLICT_RENAME })
    expect(file?.path).toBe('taken-1.txt')
    await write('taken.txt', 'fourth')
    expect((await bytes('taken.txt')).toString()).toBe('fourth')
  })

  test('X-12: the same key writes once and gives the same answer', async () => {
    const over = { conflict: Conflict.CONFLICT_REJECT, effectKey: 'same' }
    const [one, two] = await Promise.all([
      write('once.txt', 'x', over),
      write('once.txt', 'x', over),
    ])
    expect(two).toEqual(one)
    const other = write('once.txt', 'y', over)
    await expect(other).rejects.toMatchObject({ details: { reason: 'effect_key_reused' } })
  })

  test('content from the blob store is put with its origin', async () => {
    const { digest } = await world.blobs.put(Buffer.from('uploaded'))
    const put = { ...inWorkspace, effectKey: key(), path: 'up.txt', digest, origin: 'upload' }
    const { file, effects } = await replica.files.putFile({
      ...put,
      conflict: Conflict.CONFLICT_REJECT,
    })
    expect(file).toMatchObject({ digest, sizeBytes: 8n })
    expect(effects[0]?.dataJson).toContain('"origin":"upload"')
  })

  test('the shell reads and changes what file tools wrote', async () => {
    await write('shared.txt', 'tool\n')
    const { stdoutPreview } = await replica.run(
      'cat shared.txt; echo shell >> shared.txt; stat -c %a shared.txt',
    )
    expect(stdoutPreview).toBe('tool\n644\n')
    await edit('shared.txt', 'shell', 'edited')
    expect((await replica.run('cat shared.txt')).stdoutPreview).toBe('tool\nedited\n')
  })

  test('waits for an execution, and is refused as busy when that takes too long', async () => {
    const { executionId } = await replica.run('sleep 40', { waitMs: 0 })
    const startedAt = performance.now()
    await expect(write('late.txt', 'x')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(executionId) as string,
      details: { reason: 'workspace_busy' },
    })
    expect(performance.now() - startedAt).toBeGreaterThan(9_000)
    const { projectId } = inWorkspace.actor
    const { workspaceId, runnerId } = inWorkspace
    await replica.executions.cancelExecution({
      projectId,
      workspaceId,
      runnerId,
      executionId,
      reason: 'cancelled',
    })
  })
})

describe('files › edit', () => {
  test('BR-009: several matches change nothing', async () => {
    await write('cpu.yml', 'run:\n  cpu: 4\n'.repeat(3))
    const before = (await list()).files.find(({ path }) => path === 'cpu.yml')
    await expect(edit('cpu.yml', '  cpu: 4', '  cpu: 8')).rejects.toMatchObject({ code: 'refused' })
    expect((await list()).files.find(({ path }) => path === 'cpu.yml')).toEqual(before)
    expect((await edit('cpu.yml', '  cpu: 4', '  cpu: 8', true)).replacements).toBe(3)
  })

  test('BR-011: permission bits stay, and a link is refused with both files as they were', async () => {
    await replica.run(
      'echo old > run.sh; chmod 755 run.sh; mkdir -p runs; echo data > runs/001.csv; ln -s runs/001.csv latest.csv',
    )
    await edit('run.sh', 'old', 'new')
    await expect(edit('latest.csv', 'data', 'other')).rejects.toMatchObject({
      details: {
        reason: 'symbolic_link',
        remedy: expect.stringContaining('runs/001.csv') as string,
      },
    })
    const { stdoutPreview } = await replica.run(
      'stat -c %a run.sh; readlink latest.csv; cat latest.csv run.sh',
    )
    expect(stdoutPreview).toBe('755\nruns/001.csv\ndata\nnew\n')
    expect((await read('latest.csv')).content).toBe('data\n')
  })
})

describe('files › read', () => {
  test('S-02, BR-012: a page, and the offset past the end', async () => {
    await write('ten.txt', Array.from({ length: 10 }, (_, n) => `line ${n + 1}\n`).join(''))
    expect(await read('ten.txt', 6n)).toMatchObject({
      ...{ startLine: 6n, endLine: 10n, totalLines: 10n, hasMore: false, encoding: 'utf-8' },
    })
    expect(await read('ten.txt', 1200n)).toMatchObject({ content: '', totalLines: 10n })
    expect((await read('./ten.txt', 1n, 1)).content).toBe('line 1\n')
  })

  test('BR-008: BOM, UTF-16 and binary files', async () => {
    await write('bom.tsv', Buffer.from('efbbbf69640a', 'hex'))
    expect((await read('bom.tsv')).content).toBe('id\n')
    await write('wide.tsv', Buffer.from('\ufeffwell\tod600\nA1\t0.42\n', 'utf16le'))
    expect(await read('wide.tsv')).toMatchObject({
      ...{ content: 'well\tod600\nA1\t0.42\n', encoding: 'utf-16le', totalLines: 2n },
    })
    await write('nul.txt', Buffer.from('610062', 'hex'))
    expect(await read('nul.txt')).toMatchObject({
      ...{ binary: true, content: '', sizeBytes: 3n, mediaType: 'application/octet-stream' },
    })
  })

  test('BR-014: a pipe is no file, and a loop of links is not followed', async () => {
    await replica.run('mkdir -p logs; mkfifo logs/live.pipe; ln -s . loop; ln -s x x')
    await expect(read('logs/live.pipe')).rejects.toMatchObject({
      message: expect.stringContaining('not a regular file') as string,
    })
    await expect(read('x')).rejects.toMatchObject({ code: 'invalid' })
    const paths = (await list()).files.map(({ path }) => path)
    expect(paths).not.toContain('logs/live.pipe')
    expect(paths.filter((path) => path.endsWith('ten.txt'))).toEqual(['ten.txt'])
  })

  test('X-07, D4: links that lead out are refused, for reading, writing and listing', async () => {
    await replica.run(
      'ln -s /etc/hostname host; ln -s / root; ln -s ../../../etc up; ln -s /workspace/ten.txt alias; mkdir -p deep; ln -s ../ten.txt deep/in',
    )
    for (const path of ['host', 'root/etc/passwd', 'up/passwd']) {
      await expect(read(path)).rejects.toMatchObject({ details: { reason: 'outside_workspace' } })
      await expect(write(path, 'x')).rejects.toMatchObject({ details: { reason: 'symbolic_link' } })
    }
    await expect(list('root/etc')).rejects.toMatchObject({
      details: { reason: 'outside_workspace' },
    })
    expect((await read('alias')).totalLines).toBe(10n)
    expect((await read('deep/in')).totalLines).toBe(10n)
  })

  test('S-01: one level with directories, or everything up to the limit', async () => {
    const level = await list('new', false)
    expect(level.files.map(({ path, directory }) => [path, directory])).toEqual([['new/dir', true]])
    const some = await list('', true, 2)
    expect(some).toMatchObject({ truncated: true, uncommitted: false })
    expect([some.files.length, some.total > 2n]).toEqual([2, true])
  })

  test('a missing file is not found', async () => {
    await expect(read('none.txt')).rejects.toMatchObject({ code: 'not_found' })
    await expect(list('none')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('files › resolve', () => {
  test('gives committed content, and an error for each path that has none', async () => {
    await write('kept.txt', 'kept')
    const paths = ['./kept.txt', 'missing', '../x', 'latest.csv']
    const { files } = await replica.files.resolveFiles({ ...inWorkspace, paths })
    expect(files.map(({ path, file, error }) => [path, file?.sizeBytes, error !== ''])).toEqual([
      ['./kept.txt', 4n, false],
      ['missing', undefined, true],
      ['../x', undefined, true],
      ['latest.csv', undefined, true],
    ])
  })

  test('refuses what a running execution changed', async () => {
    const { executionId } = await replica.run('echo changed > kept.txt; sleep 30', { waitMs: 500 })
    const { files } = await replica.files.resolveFiles({ ...inWorkspace, paths: ['kept.txt'] })
    expect(files[0]?.error).toBe('changed since the last snapshot')
    const { projectId } = inWorkspace.actor
    const { workspaceId, runnerId } = inWorkspace
    await replica.executions.cancelExecution({
      projectId,
      workspaceId,
      runnerId,
      executionId,
      reason: 'cancelled',
    })
  })
})
