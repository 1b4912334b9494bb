import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, createDirectoryBlobStore } from '@sciencediscovery/blob-store'
import { type Database, migrate, openDatabase, type Pglite } from '@sciencediscovery/db'
import {
  createEmbeddedStore,
  type EventStore,
  type RecordedEvent,
  type StoredCommit,
} from '@sciencediscovery/event-store'
import { hashOfTables, rebuildView, runViews } from '@sciencediscovery/projection'
import { runSubject, workspaceSubject } from '@sciencediscovery/run-events'
import { type PostgresServer, startPostgres, until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BlobLists } from '../adapters/blob-lists.js'
import { appendEvents } from '../append-events-fixture.js'
import { migrations } from '../db/migrations/index.js'
import { type ArtifactStoreTables } from '../db/schema.js'
import { castOf, created, input, modified, moved, RunStory, shaOf } from '../run-story-fixture.js'
import { openTestPglite, quiet } from '../world-fixture.js'
import { viewsOver } from './views.js'

let directory: string
let server: PostgresServer
let pglite: Pglite
let blobs: BlobStore
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'scid-views-'))
  server = await startPostgres()
  pglite = await openTestPglite(directory)
  blobs = await createDirectoryBlobStore({ directory: join(directory, 'blobs'), fsync: false })
})
afterAll(async () => {
  await pglite[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

type Tables = Database<ArtifactStoreTables>
const viewsOf = () => viewsOver(new BlobLists(blobs))
const allTables = () => viewsOf().flatMap(({ tables }) => tables)
const servers = [
  ['pg', () => ({ url: server.url })],
  ['pglite', () => ({ pglite })],
] as const

async function openTables(place: object, schema: string): Promise<Tables> {
  const database = await openDatabase<ArtifactStoreTables>({ ...place, schema })
  await migrate(database, migrations)
  return database
}

/** Writes the commits into the tables in the given order, each by the view of its noun. */
async function project(database: Tables, commits: readonly StoredCommit[]): Promise<void> {
  for (const stored of commits) {
    const views = viewsOf().filter(({ noun }) => stored.commit.subject.startsWith(`${noun}.`))
    for (const view of views)
      await database.db.transaction().execute(async (tx) => view.apply(tx, stored))
  }
}

async function append(
  store: EventStore,
  subject: string,
  events: readonly RecordedEvent[],
): Promise<readonly StoredCommit[]> {
  const commits: StoredCommit[] = []
  for (const event of events) commits.push(await appendEvents(store, subject, [event]))
  return commits
}

const cast = castOf('p', '0123456789abcdef')
const later = castOf('p', '0123456789abcdef', 'f'.repeat(16))

function uploaded(path: string, content: string): RecordedEvent {
  const [event] = new RunStory(cast, 0).fileTool('', '', [created(path, content)]).workspaceEvents
  if (!event || typeof event.data !== 'object') throw new Error('a file tool changes a file')
  return { ...event, data: { ...event.data, origin: 'upload', effectId: `put-${path}` } }
}

/** An upload, a run that works on it, and a second run that brings one of the first one's effects home once more. */
async function tell(store: EventStore): Promise<readonly (readonly StoredCommit[])[]> {
  const first = new RunStory(cast)
    .started()
    .shell('s1', 'completed', [input('raw.csv', 'raw')], [created('out.csv', 'one')])
    .fileTool('e1', 'edit_file', [modified('out.csv', 'one', 'two')])
    .shell(
      's3',
      'completed',
      [input('raw.csv', 'raw', 'possible')],
      moved('out.csv', 'final.csv', 'two'),
    )
  const [, , executed, changed] = first.events
  const second = new RunStory(later, 100).started().shell('s2', 'failed', [], [])
  const brought = [...second.events, ...[executed, changed].flatMap((event) => event ?? [])]
  return [
    await append(store, workspaceSubject(cast.workspaceId), [
      uploaded('raw.csv', 'raw'),
      ...first.workspaceEvents,
    ]),
    await append(store, runSubject(cast.runId), first.events),
    await append(store, runSubject(later.runId), brought),
  ]
}

describe.each(servers)('views on %s', (dialect, place) => {
  test('events become rows', async () => {
    await using ports = await createEmbeddedStore()
    await using database = await openTables(place(), `on_${dialect}_rows`)
    await project(database, (await tell(ports.store)).flat())
    const changes = await database.db
      .selectFrom('run_file_changes')
      .select(['path', 'change', 'call_id', 'origin', 'event_stream', 'event_position'])
      .orderBy('event_position')
      .orderBy('path', 'desc')
      .execute()
    const at = { path: 'out.csv', origin: 'agent', event_stream: `runs/${cast.runId}` }
    expect(changes).toEqual([
      { ...at, change: 'created', call_id: 's1', event_position: 4 },
      { ...at, change: 'modified', call_id: 'e1', event_position: 7 },
      { ...at, change: 'deleted', call_id: 's3', event_position: 11 },
      { ...at, path: 'final.csv', change: 'created', call_id: 's3', event_position: 11 },
    ])
    const uploads = database.db
      .selectFrom('workspace_file_changes')
      .select(['path', 'origin', 'run_id'])
    expect(await uploads.execute()).toEqual([{ path: 'raw.csv', origin: 'upload', run_id: '' }])
    const order = database.db.selectFrom('workspace_order').select('position').orderBy('position')
    expect((await order.execute()).map(({ position }) => position)).toEqual([1, 2, 3, 4])
    const calls = database.db.selectFrom('provenance_calls').select(['call_id', 'name', 'outcome'])
    expect(await calls.orderBy('call_id').execute()).toEqual([
      { call_id: 'e1', name: 'edit_file', outcome: 'completed' },
      { call_id: 's1', name: 'run_shell', outcome: 'completed' },
      { call_id: 's2', name: 'run_shell', outcome: 'completed' },
      { call_id: 's3', name: 'run_shell', outcome: 'completed' },
    ])
  })

  test('what is certain to have been used, and what moved, becomes rows', async () => {
    await using ports = await createEmbeddedStore()
    await using database = await openTables(place(), `on_${dialect}_uses`)
    await project(database, (await tell(ports.store)).flat())
    const inputs = database.db.selectFrom('execution_inputs').select(['path', 'evidence', 'sha256'])
    expect(await inputs.execute()).toEqual([
      { path: 'raw.csv', evidence: 'observed', sha256: shaOf('raw') },
    ])
    const moves = database.db.selectFrom('file_moves').select(['from_path', 'to_path', 'sha256'])
    expect(await moves.execute()).toEqual([
      { from_path: 'out.csv', to_path: 'final.csv', sha256: shaOf('two') },
    ])
    const models = database.db.selectFrom('run_models').select('model').distinct()
    expect(await models.execute()).toEqual([{ model: 'scripted:x' }])
  })

  test('the order in which streams are read does not change the rows', async () => {
    await using ports = await createEmbeddedStore()
    await using one = await openTables(place(), `on_${dialect}_order_1`)
    await using other = await openTables(place(), `on_${dialect}_order_2`)
    const streams = await tell(ports.store)
    await project(one, streams.flat())
    await project(other, streams.toReversed().flat())
    expect(await hashOfTables(other, allTables())).toEqual(await hashOfTables(one, allTables()))
  })

  test('reading a commit twice changes nothing', async () => {
    await using ports = await createEmbeddedStore()
    await using database = await openTables(place(), `on_${dialect}_twice`)
    const commits = (await tell(ports.store)).flat()
    await project(database, commits)
    const before = await hashOfTables(database, allTables())
    await project(database, commits)
    expect(await hashOfTables(database, allTables())).toEqual(before)
  })

  test('a rebuild gives equal rows by hash', async () => {
    await using ports = await createEmbeddedStore()
    await using database = await openTables(place(), `on_${dialect}_rebuild`)
    await project(database, (await tell(ports.store)).flat())
    const before = await hashOfTables(database, allTables())
    await database.db.deleteFrom('run_file_changes').where('call_id', '=', 'e1').execute()
    expect(await hashOfTables(database, allTables())).not.toEqual(before)
    for (const view of viewsOf()) await rebuildView({ view, database, store: ports.store })
    expect(await hashOfTables(database, allTables())).toEqual(before)
  })

  test('20,000 changed files and 10,000 possible inputs come from blobs', async () => {
    await using ports = await createEmbeddedStore()
    await using database = await openTables(place(), `on_${dialect}_large`)
    const stored = await largeExecution()
    await project(database, await append(ports.store, runSubject(cast.runId), stored))
    const { count } = await database.db
      .selectFrom('run_file_changes')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(20_000)
    const kept = await database.db
      .selectFrom('provenance_executions')
      .selectAll()
      .executeTakeFirst()
    expect(kept?.inputs_total).toBe(10_001)
    expect(JSON.parse(kept?.inputs_json ?? '')).toHaveLength(201)
    expect(kept?.inputs_json).toContain('"observed"')
    const uses = database.db.selectFrom('execution_inputs').select('path')
    expect(await uses.execute()).toEqual([{ path: 'in/used' }])
  })

  test('BR-065 a NUL, half a character and endless names do not stop a view', async () => {
    await using ports = await createEmbeddedStore()
    await using database = await openTables(place(), `on_${dialect}_hostile`)
    const callId = `c\u0000${'x'.repeat(20_000)}`
    const paths = ['a\u0000b', 'a\ufffdb', 'a\ud800', `${'深/'.repeat(2_000)}x`]
    const changes = paths.map((path) => created(path, path))
    const story = new RunStory(cast).started().fileTool(callId, 'n\u0000', changes)
    await project(database, await append(ports.store, runSubject(cast.runId), story.events))
    const rows = database.db.selectFrom('run_file_changes').select('path')
    expect((await rows.execute()).map(({ path }) => path.slice(0, 9)).sort()).toEqual([
      'a\ufffd',
      'a\ufffdb',
      '深/深/深/深/深',
    ])
  })
})

describe('two processes on one PostgreSQL', () => {
  test('keep the views as one would, each commit in them once', async () => {
    await using ports = await createEmbeddedStore()
    await using one = await openTables({ url: server.url }, 'readers')
    await using other = await openTables({ url: server.url }, 'readers')
    await using single = await openTables({ url: server.url }, 'reader')
    const running = [one, other].map((database) =>
      runViews({ views: viewsOf(), database, store: ports.store, logger: quiet, takeoverMs: 100 }),
    )
    try {
      const commits = (await tell(ports.store)).flat()
      await until('all views read everything', async () => {
        const statuses = (await Promise.all(running.map((views) => views.status()))).flat()
        return statuses.every(({ lag }) => lag === 0)
      })
      await project(single, commits)
      expect(await hashOfTables(one, allTables())).toEqual(await hashOfTables(single, allTables()))
    } finally {
      for (const views of running) await views[Symbol.asyncDispose]()
    }
  })
})

async function largeExecution(): Promise<readonly RecordedEvent[]> {
  const changes = Array.from({ length: 20_000 }, (_, index) => created(`out/${index}`, `${index}`))
  const possible = Array.from({ length: 10_000 }, (_, index) =>
    input(`in/${index}`, 'x', 'possible'),
  )
  const story = new RunStory(cast).started().shell('s1', 'completed', [], [created('x', 'x')])
  const replaced = new Map<string, object>([
    ['workspace.changed', { changes: await listBlob(changes) }],
    ['execution.completed', { inputs: await listBlob([...possible, input('in/used', 'u')]) }],
  ])
  return story.events.map((event) =>
    typeof event.data === 'object'
      ? { ...event, data: { ...event.data, ...replaced.get(event.type) } }
      : event,
  )
}

async function listBlob(items: readonly unknown[]): Promise<object> {
  const content = Buffer.from(JSON.stringify(items))
  const { digest, sizeBytes } = await blobs.put(content)
  expect(digest).toBe(shaOf(content.toString()))
  return {
    blob: { digest, sizeBytes, mediaType: 'application/json', count: items.length, preview: '' },
  }
}
