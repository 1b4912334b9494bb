import { createHash } from 'node:crypto'
import { type DeclareArtifactRequest } from '@sciencediscovery/proto-gen/artifacts/v1/artifacts_service'
import { ArtifactDeclaredSchema } from '@sciencediscovery/run-events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startWorld, type World } from '../world-fixture.js'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const hash = '0123456789abcdef'

async function declaration(
  project: string,
  text: string | Uint8Array,
  facts: Partial<DeclareArtifactRequest> & { readonly path?: string } = {},
): Promise<DeclareArtifactRequest> {
  const content = typeof text === 'string' ? Buffer.from(text) : text
  const { digest, sizeBytes } = await world.blobs.put(content)
  const { path = 'report.md', ...rest } = facts
  return {
    effectKey: 'r1:d1',
    actor: {
      projectId: project,
      sessionId: `s-${hash}-${project}`,
      runId: `r-0-${hash}-${project}`,
      agentId: `a-${hash}-${project}`,
      callId: 'd1',
    },
    workspaceId: `w-local-${hash}-${project}`,
    file: { path, digest, sizeBytes: BigInt(sizeBytes), mediaType: 'text/markdown' },
    name: '',
    description: '',
    artifactId: '',
    baseVersionId: '',
    origin: '',
    sessionTitle: 'kinetics',
    ...rest,
  }
}

const ask = (projectId: string, facts: object = {}) => ({
  projectId,
  artifactId: '',
  name: '',
  version: 0,
  offset: 0n,
  limit: 0,
  charOffset: 0n,
  minPosition: '',
  ...facts,
})
const list = (projectId: string, facts: object = {}) =>
  world.artifacts.listArtifacts({
    projectId,
    pageSize: 0,
    pageToken: '',
    minPosition: '',
    ...facts,
  })

describe('DeclareArtifact', () => {
  test('S-06 ./a and a are one artifact, and the effect fits the run events', async () => {
    const first = await world.artifacts.declareArtifact(
      await declaration('p1', 'one', { path: './report.md' }),
    )
    expect(first.artifact).toMatchObject({ name: 'report.md', kind: 'markdown', origin: 'agent' })
    expect(first.artifact?.version).toMatchObject({
      version: 1,
      sourcePath: 'report.md',
      callId: 'd1',
    })
    const [effect] = first.effects
    const event = {
      type: effect?.type,
      v: effect?.version,
      data: z.unknown().parse(JSON.parse(effect?.dataJson ?? '')),
    }
    expect(ArtifactDeclaredSchema.parse(event).data).toMatchObject({ version: 1, callId: 'd1' })

    const second = await world.artifacts.declareArtifact(
      await declaration('p1', 'two', { path: 'x/y.md', name: 'report.md', effectKey: 'r1:d2' }),
    )
    expect(second.artifact?.artifactId).toBe(first.artifact?.artifactId)
    expect(second.artifact?.version?.version).toBe(2)
  })

  test('X-12 the same effect key gives the same answer, effects included', async () => {
    const request = await declaration('p2', 'one')
    const first = await world.artifacts.declareArtifact(request)
    await world.artifacts.declareArtifact(await declaration('p2', 'two', { effectKey: 'r1:d2' }))
    const again = await world.artifacts.declareArtifact(request)
    expect(again.artifact?.version).toEqual(first.artifact?.version)
    expect(again.effects).toEqual(first.effects)
  })

  test('BR-038 eight parallel declarations of one name give versions 1 to 8 with eight contents', async () => {
    const contents = Array.from({ length: 8 }, (_, index) => `content ${index}`)
    const answers = await Promise.all(
      contents.map(async (text, index) => {
        const effectKey = `r${index}:d1`
        return world.artifacts.declareArtifact(await declaration('p3', text, { effectKey }))
      }),
    )
    const versions = answers.map(({ artifact }) => artifact?.version?.version ?? 0)
    expect(versions.sort((one, other) => one - other)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    for (const { position } of answers) await list('p3', { minPosition: position })
    const pages = await Promise.all(
      versions.map((version) =>
        world.artifacts.readArtifact(ask('p3', { name: 'report.md', version })),
      ),
    )
    expect(pages.map(({ page }) => page?.content ?? '').sort()).toEqual(contents)
  })

  test('S-06 a stale base is refused with ARTIFACT_VERSION_CONFLICT, a fresh one is taken', async () => {
    const first = await world.artifacts.declareArtifact(await declaration('p4', 'one'))
    const artifactId = first.artifact?.artifactId ?? ''
    const baseVersionId = first.artifact?.version?.versionId ?? ''
    const based = { artifactId, baseVersionId }
    const second = await world.artifacts.declareArtifact(
      await declaration('p4', 'two', { ...based, effectKey: 'k2' }),
    )
    expect(second.artifact?.version?.version).toBe(2)
    const stale = world.artifacts.declareArtifact(
      await declaration('p4', 'three', { ...based, effectKey: 'k3' }),
    )
    await expect(stale).rejects.toMatchObject({
      code: 'refused',
      details: { reason: 'ARTIFACT_VERSION_CONFLICT', field: 'base_version_id' },
    })
  })

  test.each([
    ['BR-037 name', { name: '../../x.md' }, 'invalid', 'name'],
    ['BR-065 NUL in a name', { name: 'a\u0000b' }, 'invalid', 'name'],
    ['path', { path: '../k' }, 'invalid', 'file.path'],
    ['effect key', { effectKey: '' }, 'invalid', 'effect_key'],
    ['origin', { origin: 'magic' }, 'invalid', 'origin'],
    ['description', { description: 'x'.repeat(2001) }, 'invalid', 'description'],
    ['half an id', { artifactId: `art${'0'.repeat(32)}` }, 'invalid', 'base_version_id'],
    ['other half', { baseVersionId: 'ver1' }, 'invalid', 'artifact_id'],
    ['foreign workspace', { workspaceId: `w-local-${hash}-other` }, 'invalid', 'workspace_id'],
    ['bad artifact id', { artifactId: 'a.*.>', baseVersionId: 'v' }, 'not_found', undefined],
    ['no file', { file: undefined }, 'invalid', 'file'],
  ])('%s is refused and named', async (_what, facts, code, field) => {
    const failure = world.artifacts.declareArtifact(await declaration('p5', 'x', facts))
    await expect(failure).rejects.toMatchObject({ code, ...(field && { details: { field } }) })
  })

  test('content that is not stored is refused: content before pointer', async () => {
    const request = await declaration('p5', 'x')
    const digest = createHash('sha256').update('nowhere').digest('hex')
    const missing = { ...request, file: { path: 'a', digest, sizeBytes: 1n, mediaType: '' } }
    await expect(world.artifacts.declareArtifact(missing)).rejects.toMatchObject({
      code: 'invalid',
      details: { field: 'file.digest' },
    })
  })
})

describe('ListArtifacts', () => {
  test('S-04 pages go through all names in order, each with its newest version', async () => {
    const names = ['b.csv', 'a.csv', '结果/质控.json', 'Z.md', '原始数据/R1.fastq.gz']
    const answers = []
    for (const name of names)
      answers.push(
        await world.artifacts.declareArtifact(
          await declaration('p6', name, { name, effectKey: name }),
        ),
      )
    const newer = await declaration('p6', 'newer', { name: 'a.csv', effectKey: 'newer' })
    const { position } = await world.artifacts.declareArtifact(newer)
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await list('p6', { pageSize: 2, pageToken, minPosition: position })
      seen.push(...page.artifacts.map(({ name, version }) => `${name} ${version?.version ?? 0}`))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    expect(seen).toEqual([
      'Z.md 1',
      'a.csv 2',
      'b.csv 1',
      '原始数据/R1.fastq.gz 1',
      '结果/质控.json 1',
    ])
  })

  test('another project sees nothing of it', async () => {
    expect(await list('p-empty')).toEqual({ artifacts: [], nextPageToken: '' })
  })

  test.each([
    [{ pageSize: 201 }, 'page_size'],
    [{ pageSize: -1 }, 'page_size'],
    [{ pageToken: 'nonsense' }, 'page_token'],
    [{ minPosition: 'nonsense' }, 'min_position'],
    [{ projectId: '../x' }, 'project_id'],
  ])('%j is refused and named', async (facts, field) => {
    await expect(list('p6', facts)).rejects.toMatchObject({ code: 'invalid', details: { field } })
  })
})

describe('ReadArtifact and DownloadArtifact', () => {
  test('S-05 a text is paged by lines', async () => {
    const text = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join('')
    const declared = await world.artifacts.declareArtifact(await declaration('p7', text))
    const minPosition = declared.position
    const first = await world.artifacts.readArtifact(
      ask('p7', { name: './report.md', minPosition }),
    )
    expect(first.page).toMatchObject({ startLine: 1n, endLine: 2000n, totalLines: 5000n })
    expect(first.page).toMatchObject({ hasMore: true, nextOffset: 2001n, encoding: 'utf-8' })
    const last = await world.artifacts.readArtifact(
      ask('p7', { artifactId: declared.artifact?.artifactId, offset: 4999n, limit: 10 }),
    )
    expect(last.page).toMatchObject({ content: 'line 4999\nline 5000\n', hasMore: false })
  })

  test('S-05 SC-01 a binary version gives media type and size, never its body', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xfe])
    const request = await declaration('p8', bytes, { path: 'R1.fastq.gz' })
    const { position } = await world.artifacts.declareArtifact(request)
    const answer = await world.artifacts.readArtifact(
      ask('p8', { name: 'R1.fastq.gz', minPosition: position }),
    )
    expect(answer.page).toMatchObject({ binary: true, content: '', sizeBytes: 6n, encoding: '' })
    const pieces: Buffer[] = []
    for await (const { content } of world.artifacts.downloadArtifact(
      ask('p8', { name: 'R1.fastq.gz' }),
    ))
      pieces.push(content)
    expect(Buffer.concat(pieces)).toEqual(bytes)
  })

  test('BR-008 UTF-16 with a BOM is text without NUL', async () => {
    const bytes = Buffer.from('\ufeffwell\tod600\nA1\t0.42\n', 'utf16le')
    const { position } = await world.artifacts.declareArtifact(await declaration('p9', bytes))
    const { page } = await world.artifacts.readArtifact(
      ask('p9', { name: 'report.md', minPosition: position }),
    )
    expect(page).toMatchObject({ content: 'well\tod600\nA1\t0.42\n', encoding: 'utf-16le' })
  })

  test.each([
    ['id and name that disagree', { artifactId: 'p10', name: 'other.md' }, 'invalid', 'name'],
    ['neither id nor name', {}, 'invalid', 'name'],
    ['an unknown name', { name: 'nothing.md' }, 'not_found', undefined],
    ['an unknown version', { name: 'report.md', version: 7 }, 'not_found', 'version'],
    ['too many lines', { name: 'report.md', limit: 10_001 }, 'invalid', 'limit'],
    ['a negative offset', { name: 'report.md', offset: -1n }, 'invalid', 'offset'],
  ])('%s is an error', async (_what, facts, code, field) => {
    const declared = await world.artifacts.declareArtifact(await declaration('p10', 'x'))
    const artifactId = 'artifactId' in facts ? declared.artifact?.artifactId : ''
    const request = ask('p10', { ...facts, artifactId, minPosition: declared.position })
    await expect(world.artifacts.readArtifact(request)).rejects.toMatchObject({
      code,
      ...(field && { details: { field } }),
    })
  })
})
