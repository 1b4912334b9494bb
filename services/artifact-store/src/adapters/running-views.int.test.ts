import { checkpointMigration, type Database, migrate, openDatabase } from '@sciencediscovery/db'
import { createEmbeddedStore, type EmbeddedStore } from '@sciencediscovery/event-store'
import { encodePosition, runViews, type View } from '@sciencediscovery/projection'
import { artifactSubject, runSubject } from '@sciencediscovery/run-events'
import { type PostgresServer, startPostgres, until } from '@sciencediscovery/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appendEvents } from '../append-events-fixture.js'
import { type ArtifactStoreTables } from '../db/schema.js'
import { quiet } from '../world-fixture.js'
import { StoreViews } from './running-views.js'

let server: PostgresServer
let database: Database<ArtifactStoreTables>
let ports: EmbeddedStore
beforeAll(async () => {
  server = await startPostgres()
  database = await openDatabase<ArtifactStoreTables>({ url: server.url, schema: 'waiting' })
  await migrate(database, [checkpointMigration])
  ports = await createEmbeddedStore()
})
afterAll(async () => {
  await ports[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const signal = AbortSignal.timeout(60_000)
const run = 'r-1-0123456789abcdef-p'
const anything = [{ type: 'test.happened', v: 1, data: {} }]

/** A view of artifacts that reads on only when the gate opens. */
function gatedView(): { readonly view: View<ArtifactStoreTables>; readonly open: () => void } {
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const up = () => Promise.resolve()
  return { view: { name: 'artifacts', noun: 'artifacts', tables: [], up, apply: () => gate }, open }
}

describe('waiting for a view', () => {
  test('a token of a run stands for all artifacts that were declared before', async () => {
    const { view, open } = gatedView()
    await using running = runViews({ views: [view], database, store: ports.store, logger: quiet })
    const views = new StoreViews(ports.store, running)
    await appendEvents(ports.store, artifactSubject('p', 'art1'), anything)
    const { stream, sequence } = await appendEvents(ports.store, runSubject(run), anything)
    const minPosition = encodePosition({ stream, sequence })

    await expect(views.catchUp('artifacts', minPosition, signal)).rejects.toMatchObject({
      code: 'unavailable',
    })
    await expect(views.catchUp('artifacts', '', signal)).resolves.toBeUndefined()
    open()
    await until('the view is there', async () =>
      views.catchUp('artifacts', minPosition, signal).then(
        () => true,
        () => false,
      ),
    )
  })
})
