import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { declare, record, upload } from '../recorded-story-fixture.js'
import { castOf, created, input, modified, moved, RunStory, shaOf } from '../run-story-fixture.js'
import { aSession } from '../session-fixture.js'
import { startWorld, type World } from '../world-fixture.js'

const Details = z.object({
  sha256: z.string(),
  revisionId: z.string(),
  downstream: z.array(
    z.object({
      hop: z.number(),
      callId: z.string(),
      inputs: z.array(z.object({ path: z.string(), evidence: z.string() })),
      outputs: z.array(z.object({ path: z.string() })),
      outputsOmitted: z.number(),
    }),
  ),
  files: z.array(z.object({ path: z.string(), hop: z.number(), callId: z.string() })),
  artifactVersions: z.array(z.object({ name: z.string(), version: z.number() })),
  possible: z.array(z.object({ callId: z.string() })),
  possibleOmitted: z.number(),
  truncated: z.boolean(),
})
type Details = z.output<typeof Details>

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function page(projectId: string, path: string, facts: object = {}) {
  const { detailsJson, nextPageToken } = await world.provenance.getDownstream({
    ...{ projectId, sessionId: '', agentId: '', pathOrArtifact: path, version: 0, sha256: '' },
    ...{ pageSize: 0, pageToken: '', minPosition: '' },
    ...facts,
  })
  return { ...Details.parse(JSON.parse(detailsJson)), nextPageToken }
}

const stepsOf = ({ downstream }: Details) => downstream.map(({ hop, callId }) => [hop, callId])
const namesOf = ({ artifactVersions }: Details) => artifactVersions.map(({ name }) => name)

describe('GetDownstream › an upload, a table, a figure, a report', () => {
  const cast = castOf('down', '1'.repeat(16))
  let minPosition = ''
  beforeAll(async () => {
    world.neighbours.sessions.set(cast.sessionId, aSession('1'.repeat(16), 'down'))
    await upload(world, cast, 'raw.csv', 'raw')
    const story = new RunStory(cast)
      .started()
      .shell('s0', 'completed', [input('raw.csv', 'raw', 'possible')], [created('aside', 'a')])
      .shell('s1', 'completed', [input('raw.csv', 'raw')], [created('table.csv', 't')])
      .shell('s2', 'completed', [input('table.csv', 't', 'declared')], [created('fig.svg', 'f')])
      .declared(await declare(world, cast, { callId: 'd1', path: 'fig.svg', content: 'f' }))
      .shell('mv', 'completed', [], moved('fig.svg', 'out/fig.svg', 'f'))
      .fileTool('e1', 'edit_file', [modified('out/fig.svg', 'f', 'f2')])
      .declared(await declare(world, cast, { callId: 'd2', path: 'out/fig.svg', content: 'f2' }))
      .shell('s3', 'completed', [input('aside', 'a')], [created('other', 'o')])
      .fileTool('w1', 'write_file', [modified('table.csv', 't', 't2')])
      .shell('s4', 'completed', [input('table.csv', 't2')], [created('late', 'l')])
    minPosition = await record(world, cast, story)
  })

  test('what read it, what that made, a move and an edit lead to the artifact versions', async () => {
    const found = await page('down', 'raw.csv', { minPosition })
    expect(stepsOf(found)).toEqual([
      [1, 's1'],
      [2, 's2'],
      [3, 'mv'],
      [4, 'e1'],
    ])
    expect(found.files.map(({ path, hop }) => [path, hop])).toEqual([
      ['table.csv', 1],
      ['fig.svg', 2],
      ['out/fig.svg', 3],
      ['out/fig.svg', 4],
    ])
    expect(namesOf(found)).toEqual(['raw.csv', 'fig.svg', 'out/fig.svg'])
    expect(found.truncated).toBe(false)
  })

  test('executions that could have read it are listed apart and not followed', async () => {
    const found = await page('down', 'raw.csv', { minPosition })
    expect(found.possible.map(({ callId }) => callId)).toEqual(['s0', 's2', 'mv', 's3', 's4'])
    expect(found.possibleOmitted).toBe(0)
    expect(found.files.map(({ path }) => path)).not.toContain('aside')
  })

  test('--sha256 asks about an earlier content: each has its own uses', async () => {
    const earlier = await page('down', 'table.csv', { minPosition, sha256: shaOf('t') })
    expect(stepsOf(earlier)).toEqual([
      [1, 's2'],
      [2, 'mv'],
      [3, 'e1'],
    ])
    const newest = await page('down', 'table.csv', { minPosition })
    expect([newest.sha256, stepsOf(newest)]).toEqual([shaOf('t2'), [[1, 's4']]])
  })

  test('an artifact version is asked about by its content', async () => {
    const first = await page('down', 'fig.svg', { minPosition, version: 1 })
    expect(stepsOf(first)).toEqual([
      [1, 'mv'],
      [2, 'e1'],
    ])
  })

  test('BR-065 bad input is named', async () => {
    await expect(page('down', 'raw.csv', { sha256: 'x' })).rejects.toMatchObject({
      details: { field: 'sha256' },
    })
    await expect(page('down', 'raw.csv', { pageSize: 101 })).rejects.toMatchObject({
      details: { field: 'page_size' },
    })
    await expect(page('down', 'raw.csv', { pageToken: 'x' })).rejects.toMatchObject({
      details: { field: 'page_token' },
    })
    await expect(page('other', 'raw.csv')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('GetDownstream › the same content twice at one path', () => {
  test('a use belongs to the revision of its time; what only replaced it is possible', async () => {
    const cast = castOf('twice', '2'.repeat(16))
    const story = new RunStory(cast)
      .started()
      .shell('a1', 'completed', [], [created('x', 'A'), created('y', 'Y')])
      .shell('u1', 'completed', [input('x', 'A')], [created('from-first', '1')])
      .shell('b1', 'completed', [input('x', 'A')], [modified('x', 'A', 'B')])
      .shell('a2', 'completed', [], [modified('x', 'B', 'A')])
      .shell('u2', 'completed', [input('x', 'A')], [created('from-second', '2')])
    const minPosition = await record(world, cast, story)
    const newest = await page('twice', 'x', { minPosition })
    expect(stepsOf(newest)).toEqual([[1, 'u2']])
    expect(newest.possible).toEqual([])
  })
})

describe('GetDownstream › bounds', () => {
  const cast = castOf('wide', '3'.repeat(16))
  let minPosition = ''
  beforeAll(async () => {
    const story = new RunStory(cast).started().fileTool('w', 'write_file', [created('in', 'i')])
    for (let step = 1; step <= 5; step += 1)
      story.shell(`u${step}`, 'completed', [input('in', 'i')], [created(`o${step}`, `v${step}`)])
    for (let step = 1; step <= 10; step += 1)
      story.shell(
        `c${step}`,
        'completed',
        [input(step === 1 ? 'o5' : `f${step - 1}`, step === 1 ? 'v5' : `g${step - 1}`)],
        [created(`f${step}`, `g${step}`)],
      )
    minPosition = await record(world, cast, story)
  })

  test('direct uses come in pages, each once', async () => {
    const seen: string[] = []
    let pageToken = ''
    do {
      const found = await page('wide', 'in', { minPosition, pageSize: 2, pageToken })
      seen.push(...found.downstream.filter(({ hop }) => hop === 1).map(({ callId }) => callId))
      pageToken = found.nextPageToken
    } while (pageToken !== '')
    expect(seen).toEqual(['u1', 'u2', 'u3', 'u4', 'u5'])
  })

  test('3.10 what came of it is told for 8 hops, and that it goes on', async () => {
    const found = await page('wide', 'in', { minPosition })
    expect(found.truncated).toBe(true)
    expect(Math.max(...found.downstream.map(({ hop }) => hop))).toBe(8)
    expect(found.downstream.map(({ callId }) => callId)).toContain('c7')
    const near = await page('wide', 'f3', { minPosition })
    expect([near.truncated, near.downstream.length]).toEqual([false, 7])
  })

  test('of an execution with 1,000 outputs the first are told and the rest counted', async () => {
    const many = castOf('many', '4'.repeat(16))
    const changes = Array.from({ length: 1_000 }, (_, index) => created(`o/${index}`, `${index}`))
    const end = await record(
      world,
      many,
      new RunStory(many)
        .started()
        .fileTool('w', 'write_file', [created('in', 'i')])
        .shell('s', 'completed', [input('in', 'i')], changes),
    )
    const [step] = (await page('many', 'in', { minPosition: end })).downstream
    expect([step?.outputs.length, step?.outputsOmitted]).toEqual([200, 800])
  })
})

describe('DownloadRevision', () => {
  test('gives the bytes of a revision to its project, and to no other', async () => {
    const cast = castOf('bytes', '5'.repeat(16))
    world.neighbours.sessions.set(cast.sessionId, aSession('5'.repeat(16), 'bytes'))
    const minPosition = await upload(world, cast, 'a.txt', 'the content')
    const { revisionId } = await page('bytes', 'a.txt', { minPosition })
    const read = async (projectId: string, id = revisionId) => {
      const pieces: Buffer[] = []
      const request = { projectId, revisionId: id }
      for await (const { content } of world.provenance.downloadRevision(request))
        pieces.push(Buffer.from(content))
      return Buffer.concat(pieces).toString()
    }
    expect(await read('bytes')).toBe('the content')
    await expect(read('other')).rejects.toMatchObject({ code: 'not_found' })
    await expect(read('bytes', 'x')).rejects.toMatchObject({ details: { field: 'revision_id' } })
  })
})
