import { PlatformError } from '@sciencediscovery/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayFixture, startGateway } from '../testing/gateway-fixture.js'
import { type ArtifactRecord } from './artifact.js'
import { DeclareArtifactDetailsSchema } from './declare-artifact.js'
import { GetFileProvenanceDetailsSchema } from './get-file-provenance.js'
import { ListArtifactsDetailsSchema } from './list-artifacts.js'
import { ReadArtifactDetailsSchema } from './read-artifact.js'

let gateway: GatewayFixture
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
})
beforeEach(() => {
  gateway.files.files.clear()
  gateway.artifacts.versions.clear()
  gateway.files.files.set('report.md', Buffer.from('# Report\n'))
  gateway.files.files.set('结果/质控.json', Buffer.from('{}\n'))
})

const declare = (args: object, callKey: string) =>
  gateway.result('declare_artifact', args, {
    callKey: `${expect.getState().currentTestName}/${callKey}`,
  })

async function declared(args: object, callKey: string): Promise<ArtifactRecord> {
  const details = DeclareArtifactDetailsSchema.parse((await declare(args, callKey)).details)
  if (!('artifact' in details)) throw new Error('several answers')
  return details.artifact
}

describe('declare_artifact', () => {
  test('S-06: one file becomes a version, and the effect is handed on', async () => {
    const answer = await declare({ path: './report.md', description: 'the report' }, 'd1')
    const details = DeclareArtifactDetailsSchema.parse(answer.details)
    expect(details).toMatchObject({
      artifact: {
        id: 'art-report.md',
        name: 'report.md',
        version: 1,
        versionId: 'art-report.md-v1',
        origin: 'agent',
        path: 'report.md',
        sizeBytes: 9,
        description: 'the report',
      },
    })
    expect(answer.text).toContain('Declared report.md version 1')
    expect(answer.effects).toMatchObject([{ type: 'artifact.declared' }])
  })

  test('I-20: ./a, a and /workspace/a are one artifact', async () => {
    await declared({ path: 'report.md' }, 'd1')
    await declared({ path: './report.md' }, 'd2')
    expect(await declared({ path: '/workspace//report.md' }, 'd3')).toMatchObject({
      name: 'report.md',
      version: 3,
    })
  })

  test('S-06: of several files each gets its answer, and a bad one undoes none', async () => {
    const paths = ['结果/质控.json', './report.md', '结果/不存在.txt', 'report.md']
    const answer = await declare({ paths, name: 'ignored' }, 'd1')
    expect(answer.isError).toBe(false)
    const details = DeclareArtifactDetailsSchema.parse(answer.details)
    expect(details).toMatchObject({
      items: [
        { ok: true, path: '结果/质控.json', artifact: { name: '结果/质控.json', version: 1 } },
        { ok: true, path: 'report.md', artifact: { name: 'report.md', version: 1 } },
        { ok: false, path: '结果/不存在.txt', error: { code: 'FILE_NOT_DECLARABLE' } },
        { ok: true, path: 'report.md', artifact: { name: 'report.md', version: 1 } },
      ],
    })
    expect(answer.text).toContain('3 of 4 declared.')
    expect(answer.text).toContain('Failed 结果/不存在.txt: FILE_NOT_DECLARABLE')
  })

  test('S-06: is an error when nothing could be declared', async () => {
    expect((await declare({ paths: ['no', 'none'] }, 'd1')).isError).toBe(true)
    expect((await declare({ path: 'no' }, 'd2')).text).toBe('FILE_NOT_DECLARABLE: no not found')
  })

  test('C-25: a stale base is refused with the code of its own, the newest is taken', async () => {
    const first = await declared({ path: 'report.md' }, 'd1')
    const based = { path: 'report.md', artifact_id: first.id, base_version_id: first.versionId }
    const second = await declared(based, 'd2')
    expect(second.version).toBe(2)
    const stale = await declare(based, 'd3')
    expect(stale).toMatchObject({
      isError: true,
      details: { ok: false, error: { code: 'ARTIFACT_VERSION_CONFLICT' } },
    })
    expect(stale.text).toContain('read version art-report.md-v2 and work from that')
    const newest = { ...based, base_version_id: second.versionId }
    expect((await declared(newest, 'd4')).version).toBe(3)
  })

  test('X-12: asked again after an open outcome, each file is declared once', async () => {
    const args = { paths: ['report.md', '结果/质控.json'] }
    gateway.artifacts.failures.push(new PlatformError('unknown', 'not answered'))
    await expect(declare(args, 'd1')).rejects.toMatchObject({ code: 'unknown' })
    const answer = await declare(args, 'd1')
    expect(await declare(args, 'd1')).toEqual(answer)
    expect([...gateway.artifacts.versions.values()].map((all) => all.length)).toEqual([1, 1])
  })

  test('what was declared is seen by the next call: the view is waited for', async () => {
    await declared({ path: 'report.md' }, 'd1')
    expect(gateway.artifacts.waitedFor.at(-1)).toBe('position-1-1')
  })

  test.each([
    [{}, 'path: is missing; send path for one file, or paths for several'],
    [{ paths: [] }, 'paths: has 0 items; send a list of 1 to 50 items'],
    [{ path: 'a', artifact_id: 'x' }, 'base_version_id: goes only together with artifact_id'],
    [
      { paths: ['a'], artifact_id: 'x', base_version_id: 'y' },
      'artifact_id: goes with a single path',
    ],
    [
      { path: 'a', name: 'n', artifact_id: 'x', base_version_id: 'y' },
      'name: does not go with artifact_id',
    ],
    [{ path: 'a', description: 'x'.repeat(2001) }, 'description: has 2001 characters'],
  ])('S-06: %j is refused', async (args, message) => {
    expect((await declare(args, 'd1')).text).toContain(message)
  })
})

describe('list_artifacts', () => {
  test('S-04: gives the newest version of each', async () => {
    await declared({ path: 'report.md' }, 'd1')
    await declared({ path: 'report.md' }, 'd2')
    const answer = await gateway.result('list_artifacts', {})
    const { artifacts, truncated } = ListArtifactsDetailsSchema.parse(answer.details)
    expect(artifacts.map(({ name, version }) => [name, version])).toEqual([['report.md', 2]])
    expect(truncated).toBe(false)
  })

  test('S-04: none is a normal answer', async () => {
    const answer = await gateway.result('list_artifacts', null)
    expect(answer.text).toContain('arguments: is null')
    expect((await gateway.result('list_artifacts', {})).text).toBe(
      'The project has no artifacts yet.',
    )
  })
})

describe('read_artifact', () => {
  test('S-05: reads a version by name and by id', async () => {
    const { id, sha256 } = await declared({ path: 'report.md' }, 'd1')
    gateway.artifacts.contents.set(sha256, Buffer.from('# Report\nbody\n'))
    const byName = await gateway.result('read_artifact', { name: 'report.md', version: 1 })
    expect(byName.text).toBe('# Report\nbody\n')
    const byId = await gateway.result('read_artifact', { artifact_id: id, offset: 2 })
    expect(byId.text).toBe('[lines 2-2 of 2, to the end]\nbody\n')
    expect(ReadArtifactDetailsSchema.parse(byId.details)).toMatchObject({
      version: 1,
      binary: false,
      content: 'body\n',
      page: { startLine: 2, totalLines: 2 },
      truncated: false,
    })
  })

  test('S-05: a binary version gives type and size only', async () => {
    const { sha256 } = await declared({ path: 'report.md' }, 'd1')
    gateway.artifacts.contents.set(sha256, Buffer.from('\u0089PNG\0\0body'))
    const answer = await gateway.result('read_artifact', { name: 'report.md' })
    const details = ReadArtifactDetailsSchema.parse(answer.details)
    expect(details).toMatchObject({ binary: true, mediaType: 'application/octet-stream' })
    expect(details).not.toHaveProperty('content')
    expect(JSON.stringify(answer)).not.toContain('PNG')
  })

  test('S-05: past the end, an unknown name and no name are errors', async () => {
    const { sha256 } = await declared({ path: 'report.md' }, 'd1')
    gateway.artifacts.contents.set(sha256, Buffer.from('one\n'))
    const past = await gateway.result('read_artifact', { name: 'report.md', offset: 5 })
    expect(past.text).toContain('offset: 5 is past the end: report.md version 1 has 1 line;')
    const unknown = await gateway.result('read_artifact', { name: 'nothing' })
    expect(unknown.text).toBe('NOT_FOUND: artifact nothing not found')
    const none = await gateway.result('read_artifact', {})
    expect(none.text).toContain('name: is missing; send name or artifact_id')
  })
})

describe('get_file_provenance', () => {
  const details = {
    origin: 'agent',
    fileId: 'file-1',
    revisions: [
      { id: 'r1', path: 'a.csv', sha256: 'a'.repeat(64), origin: 'agent', callId: 's1', extra: 1 },
    ],
    upstream: [
      {
        callId: 's1',
        kind: 'execution',
        event: { stream: 'runs/r', position: 7 },
        inputs: [
          { path: 'in.gz', sha256: 'b'.repeat(64), origin: 'upload', evidence: 'observed' },
          { path: 'other.txt', sha256: 'c'.repeat(64), origin: 'agent', evidence: 'possible' },
        ],
      },
    ],
  }

  test('S-03: passes the whole record on and sums it up for the model', async () => {
    gateway.artifacts.origins.set('a.csv', details)
    const answer = await gateway.result('get_file_provenance', { path: './a.csv' })
    expect(GetFileProvenanceDetailsSchema.parse(answer.details)).toEqual(details)
    expect(answer.text).toBe(
      [
        'a.csv: origin agent, 1 revision, file file-1',
        'revision r1: agent by call s1 sha256 aaaaaaaaaaaa',
        'made by execution by call s1 from in.gz (upload, observed sha256 bbbbbbbbbbbb); 1 further file could have been read',
      ].join('\n'),
    )
  })

  test('S-03: an unknown origin must not be guessed', async () => {
    gateway.artifacts.origins.set('b.csv', { ...details, origin: 'unknown', upstream: [] })
    const answer = await gateway.result('get_file_provenance', { path: 'b.csv' })
    expect(answer.text).toContain('Say that it is unknown; do not guess.')
  })

  test('S-04: says that the session is gone', async () => {
    const session = { id: 's-1', state: 'deleted', title: '' }
    gateway.artifacts.origins.set('c.csv', { ...details, session })
    const answer = await gateway.result('get_file_provenance', { path: 'c.csv' })
    expect(answer.text).toContain('Its session is deleted.')
  })

  test('S-03: an unknown path is not found', async () => {
    const answer = await gateway.result('get_file_provenance', { path: 'nothing' })
    expect(answer.text).toBe('NOT_FOUND: nothing not found')
  })
})
