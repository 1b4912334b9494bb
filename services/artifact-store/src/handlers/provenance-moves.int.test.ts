import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { declare, record, upload } from '../recorded-story-fixture.js'
import {
  type Cast,
  castOf,
  created,
  deleted,
  input,
  modified,
  moved,
  RunStory,
  shaOf,
} from '../run-story-fixture.js'
import { aSession } from '../session-fixture.js'
import { startWorld, type World } from '../world-fixture.js'

const Details = z.object({
  fileId: z.string(),
  path: z.string(),
  workspaceId: z.string(),
  agentId: z.string(),
  origin: z.string(),
  deleted: z.boolean(),
  movedTo: z.string().optional(),
  session: z.object({ id: z.string(), state: z.string(), title: z.string() }),
  revisions: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      sha256: z.string(),
      origin: z.string(),
      callId: z.string(),
      parentRevisionId: z.string().nullable(),
    }),
  ),
  artifactVersions: z.array(z.object({ name: z.string(), version: z.number() })),
  upstream: z.array(
    z.object({
      callId: z.string(),
      moved: z.object({ fromPath: z.string(), toPath: z.string() }).optional(),
      inputs: z.array(z.object({ path: z.string(), evidence: z.string() })),
      outputs: z.array(z.object({ path: z.string() })),
    }),
  ),
  broken: z.boolean(),
  reason: z.string(),
  breaks: z.array(z.object({ reason: z.string(), path: z.string(), callId: z.string() })),
})
type Details = z.output<typeof Details>

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function ask(projectId: string, path: string, facts: object = {}): Promise<Details> {
  const { detailsJson } = await world.provenance.getFileProvenance({
    ...{ projectId, sessionId: '', agentId: '', pathOrArtifact: path, version: 0, minPosition: '' },
    ...facts,
  })
  return Details.parse(JSON.parse(detailsJson))
}

const callsOf = ({ revisions }: Details) => revisions.map(({ callId, path }) => [callId, path])

describe('GetFileProvenance › S-03 files that an execution moves', () => {
  const cast = castOf('moves', '1'.repeat(16))
  let minPosition = ''
  beforeAll(async () => {
    const story = new RunStory(cast)
      .started()
      .shell('s1', 'completed', [], [created('draft.csv', 'one'), created('twin-a', 'same')])
      .shell('s2', 'completed', [input('draft.csv', 'one')], [modified('draft.csv', 'one', 'two')])
      .declared(await declare(world, cast, { callId: 'd1', path: 'draft.csv', content: 'two' }))
      .shell('mv', 'completed', [], moved('draft.csv', 'results/final.csv', 'two'))
      .fileTool('w1', 'write_file', [created('draft.csv', 'another')])
      .shell('s3', 'completed', [], [modified('results/final.csv', 'two', 'three')])
      .declared(
        await declare(world, cast, { callId: 'd2', path: 'results/final.csv', content: 'three' }),
      )
      .shell('t1', 'completed', [], [created('twin-b', 'same')])
      .shell(
        't2',
        'completed',
        [],
        [deleted('twin-a', 'same'), deleted('twin-b', 'same'), created('twin-c', 'same')],
      )
    minPosition = await record(world, cast, story)
  })

  test('a moved file keeps its id, and its move is a revision with another path', async () => {
    const final = await ask('moves', 'results/final.csv', { minPosition })
    expect(callsOf(final)).toEqual([
      ['s1', 'draft.csv'],
      ['s2', 'draft.csv'],
      ['mv', 'results/final.csv'],
      ['s3', 'results/final.csv'],
    ])
    const parents = final.revisions.map(({ parentRevisionId }) => parentRevisionId)
    expect(parents).toEqual([null, ...final.revisions.slice(0, -1).map(({ id }) => id)])
    const before = await ask('moves', 'draft.csv', { sha256: shaOf('two') })
    expect(before.fileId).toBe(final.fileId)
    expect(callsOf(before)).toEqual(callsOf(final).slice(0, 2))
  })

  test('what is made at the old path afterwards is another file', async () => {
    const successor = await ask('moves', 'draft.csv', { minPosition })
    const final = await ask('moves', 'results/final.csv', { minPosition })
    expect(callsOf(successor)).toEqual([['w1', 'draft.csv']])
    expect(successor.fileId).not.toBe(final.fileId)
  })

  test('the chain goes through the move to what made the content', async () => {
    const { upstream } = await ask('moves', 'results/final.csv', {
      minPosition,
      sha256: shaOf('two'),
    })
    expect(upstream.map(({ callId }) => callId)).toEqual(['mv', 's2'])
    expect(upstream[0]).toMatchObject({
      moved: { fromPath: 'draft.csv', toPath: 'results/final.csv' },
      inputs: [{ path: 'draft.csv', evidence: 'observed' }],
      outputs: [{ path: 'results/final.csv' }],
    })
  })

  test('versions that were declared under any of its paths are linked, those of its successor not', async () => {
    const final = await ask('moves', 'results/final.csv', { minPosition })
    expect(final.artifactVersions.map(({ name }) => name)).toEqual([
      'draft.csv',
      'results/final.csv',
    ])
    const successor = await ask('moves', 'draft.csv', { minPosition })
    expect(successor.artifactVersions.map(({ name }) => name)).toEqual(['draft.csv'])
  })

  test('a version that was declared from a file changed since is known by its content', async () => {
    const version = await ask('moves', 'draft.csv', { minPosition, version: 1 })
    expect(callsOf(version)).toEqual([
      ['s1', 'draft.csv'],
      ['s2', 'draft.csv'],
    ])
  })

  test('of two equal files none is said to have moved', async () => {
    const { revisions, fileId } = await ask('moves', 'twin-c', { minPosition })
    expect(revisions.map(({ callId }) => callId)).toEqual(['t2'])
    const others = [await ask('moves', 'twin-a'), await ask('moves', 'twin-b')]
    expect(others.map((other) => other.fileId)).not.toContain(fileId)
    expect(others.map((other) => [other.deleted, other.movedTo])).toEqual([
      [true, undefined],
      [true, undefined],
    ])
  })

  test('BR-065 a content that the file never had is not found', async () => {
    await expect(ask('moves', 'draft.csv', { sha256: shaOf('never') })).rejects.toMatchObject({
      code: 'not_found',
      details: { field: 'sha256' },
    })
    await expect(
      ask('moves', 'draft.csv', { sha256: shaOf('two'), version: 1 }),
    ).rejects.toMatchObject({ code: 'invalid', details: { field: 'sha256' } })
    await expect(ask('moves', 'draft.csv', { maxHops: 65 })).rejects.toMatchObject({
      details: { field: 'max_hops' },
    })
  })
})

describe('GetFileProvenance › a file that moves away and back', () => {
  test('is the same file all along', async () => {
    const cast = castOf('back', '2'.repeat(16))
    const story = new RunStory(cast)
      .started()
      .shell('s1', 'completed', [], [created('a', 'x')])
      .shell('m1', 'completed', [], moved('a', 'b', 'x'))
    const first = await record(world, cast, story)
    const away = await ask('back', 'a', { minPosition: first })
    expect(away).toMatchObject({ deleted: true, movedTo: 'b' })
    const later = castOf('back', '2'.repeat(16), '3'.repeat(16))
    const minPosition = await record(
      world,
      later,
      new RunStory(later, 200).started().shell('m2', 'completed', [], moved('b', 'a', 'x')),
    )
    const { fileId, revisions } = await ask('back', 'a', { minPosition })
    expect(revisions.map(({ callId, path }) => [callId, path])).toEqual([
      ['s1', 'a'],
      ['m1', 'b'],
      ['m2', 'a'],
    ])
    expect(fileId).toBe(away.fileId)
  })
})

describe('GetFileProvenance › 3.10 a chain that cannot go on', () => {
  test('is broken where an input has no recorded origin, and whole otherwise', async () => {
    const cast = castOf('broken', '4'.repeat(16))
    world.neighbours.sessions.set(cast.sessionId, aSession('4'.repeat(16), 'broken'))
    await upload(world, cast, 'known.csv', 'known')
    world.neighbours.sessions.delete(cast.sessionId)
    const inputs = [input('known.csv', 'known'), input('found.csv', 'found')]
    const minPosition = await record(
      world,
      cast,
      new RunStory(cast)
        .started()
        .shell('s1', 'completed', inputs, [created('out', 'o')])
        .shell('s2', 'completed', inputs.slice(0, 1), [created('clean', 'c')]),
    )
    const out = await ask('broken', 'out', { minPosition })
    const at = { path: 'found.csv', callId: 's1' }
    expect(out.breaks).toEqual([{ reason: 'session_deleted', ...at }])
    world.neighbours.sessions.set(cast.sessionId, aSession('4'.repeat(16), 'broken'))
    const known = await ask('broken', 'out', { minPosition })
    expect(known).toMatchObject({ broken: true, breaks: [{ reason: 'unknown_origin', ...at }] })
    expect(known.reason).toContain('nothing recorded')
    expect(await ask('broken', 'clean')).toMatchObject({ broken: false, reason: '', breaks: [] })
  })

  test('is broken where a list is lost; the views go on', async () => {
    const cast = castOf('lost', '5'.repeat(16))
    world.neighbours.sessions.set(cast.sessionId, aSession('5'.repeat(16), 'lost'))
    const story = new RunStory(cast)
      .started()
      .shell('s1', 'completed', [input('in', 'i')], [created('out', 'o')])
    const blob = {
      digest: shaOf('gone'),
      sizeBytes: 1,
      mediaType: 'application/json',
      count: 99,
      preview: '',
    }
    const events = story.events.map((event) =>
      event.type === 'execution.completed' && typeof event.data === 'object'
        ? { ...event, data: { ...event.data, inputs: { blob } } }
        : event,
    )
    const minPosition = await record(world, cast, {
      events,
      workspaceEvents: story.workspaceEvents,
    })
    const { broken, breaks, upstream } = await ask('lost', 'out', { minPosition })
    expect(broken).toBe(true)
    expect(breaks).toEqual([{ reason: 'list_lost', path: '', callId: 's1' }])
    expect(upstream).toMatchObject([{ callId: 's1', inputs: [] }])
  })

  test('a content that nobody recorded breaks its own chain', async () => {
    const cast = castOf('hand', '6'.repeat(16))
    world.neighbours.sessions.set(cast.sessionId, aSession('6'.repeat(16), 'hand'))
    const story = new RunStory(cast)
      .started()
      .shell('s1', 'completed', [], [created('a', 'one')])
      .shell('s2', 'completed', [], [modified('a', 'by hand', 'two')])
    const minPosition = await record(world, cast, story)
    const { origin, breaks } = await ask('hand', 'a', { minPosition, sha256: shaOf('by hand') })
    expect([origin, breaks]).toEqual([
      'unknown',
      [{ reason: 'unknown_origin', path: 'a', callId: '' }],
    ])
  })
})

describe('GetFileProvenance › whose file it is', () => {
  const main = castOf('whose', '7'.repeat(16))
  const child: Cast = {
    ...castOf('whose', '8'.repeat(16)),
    sessionId: main.sessionId,
  }
  let minPosition = ''
  beforeAll(async () => {
    const shared = 'notes/plan.md'
    await record(
      world,
      child,
      new RunStory(child, 300).started().shell('c1', 'completed', [], [created(shared, 'child')]),
    )
    minPosition = await record(
      world,
      main,
      new RunStory(main)
        .started()
        .shell('m1', 'completed', [], [created(shared, 'main'), created('own', 'x')]),
    )
  })

  test("the main agent's file goes before a child's, and the child's is found by its agent", async () => {
    const found = await ask('whose', 'notes/plan.md', { minPosition })
    expect([found.workspaceId, found.agentId]).toEqual([main.workspaceId, main.agentId])
    const theirs = await ask('whose', 'notes/plan.md', { agentId: child.agentId })
    expect([theirs.workspaceId, theirs.session.id]).toEqual([child.workspaceId, main.sessionId])
    expect(theirs.revisions.map(({ callId }) => callId)).toEqual(['c1'])
  })

  test('an archived session is said to be archived', async () => {
    const session = aSession('7'.repeat(16), 'whose')
    world.neighbours.sessions.set(main.sessionId, {
      ...session,
      archivedAt: '2026-01-02T00:00:00Z',
    })
    expect((await ask('whose', 'own')).session).toMatchObject({ state: 'archived' })
  })
})
