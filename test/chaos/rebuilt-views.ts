import { views } from '@sciencediscovery/agent-orchestrator'
import { openDatabase } from '@sciencediscovery/db'
import { hashOfTables, rebuildView } from '@sciencediscovery/projection'
import { until } from '@sciencediscovery/testing'
import { sql } from 'kysely'
import { type Constellation } from '../harness/constellation.js'

type Hashes = Readonly<Record<string, string>>

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}
const catchUpMs = 20_000

/** The rows of the orchestrator's views once they have caught up, and again after they were made anew. */
export async function viewsAndRebuilt(
  stack: Constellation,
): Promise<{ readonly kept: Hashes; readonly rebuilt: Hashes }> {
  const url = stack.postgres.url
  await using database = await openDatabase({ url, schema: 'agent_orchestrator', logger: quiet })
  const { store } = stack.ports
  const tables = views.flatMap((view) => view.tables)
  await until('the views catch up', () => haveCaughtUp(stack, database.untyped), catchUpMs)
  const kept = await hashOfTables(database, tables)
  // Typed by their own schema, which is the service's: only the rows matter here.
  for (const view of views) await rebuildView({ view, database: database as never, store })
  return { kept, rebuilt: await hashOfTables(database, tables) }
}

async function haveCaughtUp(
  { ports: { store } }: Constellation,
  db: Parameters<ReturnType<typeof sql>['execute']>[0],
): Promise<boolean> {
  const checks = views.flatMap((view) =>
    store.streamsOf(view.noun).map(async (stream) => {
      const { rows } = await sql<{ sequence: string }>`
        select sequence from view_checkpoints where view = ${view.name} and stream = ${stream}`.execute(
        db,
      )
      return Number(rows[0]?.sequence ?? 0) >= (await store.lastSequence(stream))
    }),
  )
  return (await Promise.all(checks)).every(Boolean)
}
