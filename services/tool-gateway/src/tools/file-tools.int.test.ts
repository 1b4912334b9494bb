import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayFixture, place, startGateway } from '../testing/gateway-fixture.js'
import { EditFileDetailsSchema } from './edit-file.js'
import { ListFilesDetailsSchema } from './list-files.js'
import { ReadFileDetailsSchema } from './read-file.js'
import { WriteFileDetailsSchema } from './write-file.js'

let gateway: GatewayFixture
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})
beforeEach(() => {
  gateway.files.files.clear()
  gateway.files.asked.length = 0
})

const harness = { context: { ...place, profile: 'harness' } }

describe('list_files', () => {
  test('S-01: gives paths to the model and sizes and times to programs', async () => {
    gateway.files.files.set('原始数据/a.fastq.gz', Buffer.from([31, 139, 0]))
    gateway.files.files.set('b.txt', Buffer.from('b\n'))
    const answer = await gateway.result('list_files', {})
    expect(answer.text).toBe('原始数据/a.fastq.gz\nb.txt')
    const details = ListFilesDetailsSchema.parse(answer.details)
    expect(details).toMatchObject({ truncated: false, total: 2 })
    expect(details.files[1]).toEqual({
      path: 'b.txt',
      sizeBytes: 2,
      modifiedAt: '2026-01-02T03:04:05.000Z',
      directory: false,
    })
  })

  test('S-01: an empty workspace is a normal answer', async () => {
    const answer = await gateway.result('list_files', {})
    expect(answer).toMatchObject({ isError: false, text: 'The workspace has no files.' })
  })

  test('S-01: says how many there are when it is cut', async () => {
    for (let at = 0; at < 501; at += 1) gateway.files.files.set(`f${at}`, Buffer.alloc(0))
    const answer = await gateway.result('list_files', {})
    expect(answer.text).toContain('[500 of 501 entries; go on with after ')
    expect(answer.details).toMatchObject({ truncated: true, total: 501 })
  })

  test.each([
    [{}, '', true],
    [{ path: './data' }, 'data', false],
    [{ path: '/workspace/data/', recursive: true }, 'data', true],
    [{ path: null, recursive: null }, '', true],
  ])('C-01: %j asks for %j, recursive %j', async (args, path, recursive) => {
    await gateway.result('list_files', args)
    expect(gateway.files.asked[0]?.request).toMatchObject({ path, recursive, limit: 500 })
  })

  test('C-01, H-06: the harness lists one level of a directory that it must name', async () => {
    await gateway.result('list_files', { path: 'data' }, harness)
    expect(gateway.files.asked[0]?.request).toMatchObject({ path: 'data', recursive: false })
    const refused = await gateway.result('list_files', {}, harness)
    expect(refused.text).toContain('path: is missing')
  })
})

describe('read_file', () => {
  const tenLines = Buffer.from(Array.from({ length: 10 }, (_, at) => `row ${at + 1}\n`).join(''))

  test('S-02: a whole small file comes as it is', async () => {
    gateway.files.files.set('ten.txt', tenLines)
    const answer = await gateway.result('read_file', { path: 'ten.txt' })
    expect(answer.text).toBe(tenLines.toString())
    expect(ReadFileDetailsSchema.parse(answer.details).page).toEqual({
      startLine: 1,
      endLine: 10,
      totalLines: 10,
      hasMore: false,
      partialLine: false,
      bytes: 61,
    })
  })

  test('S-02: a part says its lines and where to go on', async () => {
    gateway.files.files.set('ten.txt', tenLines)
    const answer = await gateway.result('read_file', { path: 'ten.txt', offset: 2, limit: 3 })
    expect(answer.text).toBe('[lines 2-4 of 10; go on with offset 5]\nrow 2\nrow 3\nrow 4\n')
    expect(answer.details).toMatchObject({
      page: { startLine: 2, endLine: 4, hasMore: true, nextOffset: 5, next: { offset: 5 } },
    })
  })

  test('S-02, BR-012: past the end is an error that says how many lines there are', async () => {
    gateway.files.files.set('ten.txt', tenLines)
    const answer = await gateway.result('read_file', { path: 'ten.txt', offset: 1200 })
    expect(answer.text).toBe(
      'INVALID_TOOL_ARGUMENTS: offset: 1200 is past the end: ten.txt has 10 lines; send an offset from 1 to 10',
    )
  })

  test('S-02: an empty file is said to be empty', async () => {
    gateway.files.files.set('empty', Buffer.alloc(0))
    const answer = await gateway.result('read_file', { path: 'empty' })
    expect(answer).toMatchObject({ isError: false, text: '[empty is empty: 0 lines]' })
  })

  test('S-02: a binary gives type and size, never its bytes', async () => {
    const bytes = Buffer.from('HWI-1KL120\0more')
    gateway.files.files.set('reads.gz', bytes)
    const answer = await gateway.result('read_file', { path: 'reads.gz' })
    expect(answer.text).toContain('reads.gz is binary (application/octet-stream, 15 bytes)')
    const everything = JSON.stringify(answer)
    expect(everything).not.toContain('HWI')
    expect(everything).not.toContain(bytes.toString('base64').slice(0, 8))
    expect(ReadFileDetailsSchema.parse(answer.details)).toMatchObject({ binary: true })
  })

  test('C-02, BR-012: the harness counts the same lines from 0', async () => {
    gateway.files.files.set('ten.txt', tenLines)
    gateway.files.files.set('empty', Buffer.alloc(0))
    const read = async (args: object): Promise<string> =>
      (await gateway.result('read_file', args, harness)).text
    expect(await read({ path: 'ten.txt', offset: 5, limit: 2000 })).toBe(
      '[lines 6-10 of 10, to the end]\nrow 6\nrow 7\nrow 8\nrow 9\nrow 10\n',
    )
    expect(await read({ path: 'ten.txt', offset: 1, limit: 2 })).toContain('go on with offset 3]')
    expect(await read({ path: 'ten.txt', offset: 10 })).toContain('ten.txt has 10 lines')
    expect(await read({ path: 'ten.txt', offset: 1200 })).toContain('ten.txt has 10 lines')
    expect(await read({ path: 'empty', offset: 0 })).toContain('0 lines')
    expect(await read({ path: 'ten.txt' })).toBe(tenLines.toString())
  })

  test.each([
    [{ path: 'a\u0000b' }, 'path: holds a NUL character'],
    [{ path: '' }, 'path: has 0 characters'],
    [{ path: 'a', offset: 0 }, 'offset: is 0; send an integer of at least 1'],
    [{ path: 'a', limit: 10_001 }, 'limit: is 10001; send an integer from 1 to 10000'],
    [{ path: '../secret' }, 'path: leaves the workspace'],
  ])('X-07: %j is refused and names the field', async (args, message) => {
    const answer = await gateway.result('read_file', args)
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain(message)
  })
})

describe('write_file and edit_file', () => {
  test('H-02: writes a new file and hands the effect on', async () => {
    const args = { path: 'report.md', content: '# 嘌呤霉素\n' }
    const answer = await gateway.result('write_file', args, { callKey: 'run-1/w1' })
    expect(answer.text).toBe('Wrote report.md (15 bytes).')
    expect(WriteFileDetailsSchema.parse(answer.details).file.path).toBe('report.md')
    expect(answer.effects).toMatchObject([{ type: 'workspace.changed' }])
    expect(gateway.files.files.get('report.md')?.toString()).toBe('# 嘌呤霉素\n')
  })

  test('H-02: a file that exists is left alone and edit_file is named', async () => {
    gateway.files.files.set('report.md', Buffer.from('old'))
    const args = { path: 'report.md', content: 'new' }
    const answer = await gateway.result('write_file', args, { callKey: 'run-1/w2' })
    expect(answer.text).toBe(
      'ALREADY_EXISTS: report.md exists; it was left as it is; change it with edit_file, or write to another path',
    )
    expect(gateway.files.files.get('report.md')?.toString()).toBe('old')
  })

  test('H-02: an empty file can be written', async () => {
    const args = { path: 'empty.txt', content: '' }
    expect((await gateway.result('write_file', args, { callKey: 'run-1/w3' })).isError).toBe(false)
    expect(gateway.files.files.get('empty.txt')?.length).toBe(0)
  })

  test('H-03: replaces and counts', async () => {
    gateway.files.files.set('qc.py', Buffer.from('a b a\n'))
    const args = { path: 'qc.py', old_string: 'b', new_string: 'c' }
    const answer = await gateway.result('edit_file', args, { callKey: 'run-1/e1' })
    expect(answer.text).toBe('1 replacement in qc.py.')
    expect(EditFileDetailsSchema.parse(answer.details).replacements).toBe(1)
    expect(answer.effects).toHaveLength(1)
  })

  test('H-03, BR-009: several places are an error that says how many', async () => {
    gateway.files.files.set('qc.py', Buffer.from('a b a\n'))
    const args = { path: 'qc.py', old_string: 'a', new_string: 'c' }
    const answer = await gateway.result('edit_file', args, { callKey: 'run-1/e2' })
    expect(answer.text).toContain('old_string: 2 matches')
    const all = { ...args, replace_all: true }
    const second = await gateway.result('edit_file', all, { callKey: 'run-1/e3' })
    expect(second.details).toMatchObject({ replacements: 2 })
  })

  test('H-03: an edit that changes nothing is refused before it is tried', async () => {
    const args = { path: 'qc.py', old_string: 'a', new_string: 'a' }
    const answer = await gateway.result('edit_file', args)
    expect(answer.text).toContain('new_string: equals old_string')
    expect(gateway.files.asked).toEqual([])
  })
})
