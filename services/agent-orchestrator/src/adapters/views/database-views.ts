import { type Database } from '@sciencediscovery/db'
import { type EventStore } from '@sciencediscovery/event-store'
import { type Position, type RunningViews, decodePosition } from '@sciencediscovery/projection'
import { type Schema } from '../../db/schema.js'
import { type Views } from '../../handlers/views.js'
import { type Texts } from '../../texts.js'
import { listProjects } from './list-projects.js'
import { findRun, listRuns } from './list-runs.js'
import { listSessions } from './list-sessions.js'
import { planOf } from './plan-of.js'
import { toolOutputOf } from './tool-output-of.js'
import { transcriptOf } from './transcript-of.js'

const nouns: Readonly<Record<string, string>> = {
  runs: 'runs',
  plans: 'runs',
  transcript: 'runs',
  tool_outputs: 'runs',
  sessions: 'sessions',
  projects: 'projects',
  members: 'projects',
}

type Reach = (views: readonly string[], minPosition: string) => Promise<void>

/** Waits until the views hold the position, and with it what came before. */
function createReach(running: RunningViews, store: EventStore): Reach {
  // What a session said of its run came before anything that the run says.
  const sessionsNow = async (): Promise<Position> => {
    const [stream = ''] = store.streamsOf('sessions')
    return { stream, sequence: await store.lastSequence(stream) }
  }
  return async (views: readonly string[], minPosition: string): Promise<void> => {
    if (minPosition === '') return
    const position = decodePosition(minPosition)
    const noun = position.stream.toLowerCase().replace(/_\d+$/, '')
    // A position of another kind of aggregate says nothing about these views.
    const concerned = views.filter((view) => nouns[view] === noun)
    const earlier = noun === 'runs' ? views.filter((view) => nouns[view] === 'sessions') : []
    await Promise.all([
      ...concerned.map((view) => running.waitForPosition(view, position)),
      ...earlier.map(async (view) => running.waitForPosition(view, await sessionsNow())),
    ])
  }
}

/** The views in PostgreSQL or PGlite. */
export function createDatabaseViews(
  database: Database<Schema>,
  running: RunningViews,
  { texts, store }: { readonly texts: Texts; readonly store: EventStore },
): Views {
  const { db } = database
  const reach = createReach(running, store)
  return {
    listProjects: async (filter, page) => {
      await reach(['projects', 'members'], page.minPosition)
      return listProjects(db, filter, page)
    },
    listSessions: async (filter, page) => {
      await reach(['sessions'], page.minPosition)
      return listSessions(db, filter, page)
    },
    listRuns: async (filter, page) => {
      await reach(['sessions', 'runs'], page.minPosition)
      return listRuns(db, filter, page)
    },
    findRun: async (runId, minPosition) => {
      await reach(['sessions', 'runs'], minPosition)
      return findRun(db, runId)
    },
    planOf: async (runId, minPosition) => {
      await reach(['plans'], minPosition)
      return planOf(db, runId)
    },
    transcriptOf: async (filter, page) => {
      await reach(['sessions', 'transcript'], page.minPosition)
      return transcriptOf({ db, texts }, filter, page)
    },
    toolOutput: async (wanted, minPosition) => {
      await reach(['runs', 'tool_outputs'], minPosition)
      return toolOutputOf(db, wanted)
    },
    activeSessions: async () => {
      const sessions = db.selectFrom('sessions').select('session_id')
      const rows = await sessions.where('active_run_id', '!=', '').execute()
      return rows.map((row) => row.session_id)
    },
    openRuns: async () => {
      const rows = await db
        .selectFrom('runs')
        .select(['run_id', 'writer'])
        .where('is_open', '=', true)
        .execute()
      return rows.map((row) => ({ runId: row.run_id, writer: row.writer }))
    },
  }
}
