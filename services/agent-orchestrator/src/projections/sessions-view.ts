import { type View } from '@sciencediscovery/projection'
import { sql, type Transaction } from 'kysely'
import { type Schema } from '../db/schema.js'
import { type SessionEvent, SessionEventSchema } from '../domain/session/events.js'

/** A row per session, and a row per run that it accepted. */
export const sessionsView: View<Schema> = {
  name: 'sessions',
  noun: 'sessions',
  tables: ['sessions', 'session_runs'],
  up: async (db) => {
    await sql`create table sessions (
      session_id text primary key, project_id text not null, settings text not null, created_at text not null,
      archived_at text not null, active_run_id text not null)`.execute(db)
    await sql`create table session_runs (
      run_id text primary key, session_id text not null, project_id text not null, goal text not null,
      model text not null, state text not null, queued_at text not null)`.execute(db)
    await sql`create index session_runs_by_session on session_runs (session_id)`.execute(db)
  },
  async apply(tx, { commit }) {
    const [, projectId = '', sessionId = ''] = commit.subject.split('.')
    for (const recorded of commit.events) {
      await applyEvent(tx, { projectId, sessionId }, SessionEventSchema.parse(recorded))
    }
  },
}

interface Place {
  readonly projectId: string
  readonly sessionId: string
}

async function applyEvent(
  tx: Transaction<Schema>,
  place: Place,
  event: SessionEvent,
): Promise<void> {
  const { sessionId, projectId } = place
  switch (event.type) {
    case 'session.created': {
      const times = { created_at: event.data.at, archived_at: '', active_run_id: '' }
      const settings = JSON.stringify(event.data.settings)
      await tx
        .insertInto('sessions')
        .values({ session_id: sessionId, project_id: projectId, settings, ...times })
        .execute()
      return
    }
    case 'session.updated':
      return changeSession(tx, sessionId, { settings: JSON.stringify(event.data.settings) })
    case 'session.archived':
      return changeSession(tx, sessionId, { archived_at: event.data.at })
    case 'session.run.queued': {
      const { runId, goal, model } = event.data.run
      const row = { run_id: runId, session_id: sessionId, project_id: projectId, goal, model }
      await tx
        .insertInto('session_runs')
        .values({ ...row, state: 'queued', queued_at: event.data.at })
        .execute()
      return
    }
    case 'session.run.admitted':
      await changeRun(tx, event.data.runId, 'admitted')
      return changeSession(tx, sessionId, { active_run_id: event.data.runId })
    case 'session.run.withdrawn':
      return changeRun(tx, event.data.runId, 'withdrawn')
    case 'session.run.ended':
      await changeRun(tx, event.data.runId, 'ended')
      return changeSession(tx, sessionId, { active_run_id: '' })
    case 'session.run.interrupted':
    case 'permission.requested':
    case 'permission.resolved':
    case 'grant.created':
      return
  }
}

async function changeSession(
  tx: Transaction<Schema>,
  sessionId: string,
  change: { settings?: string; archived_at?: string; active_run_id?: string },
): Promise<void> {
  await tx.updateTable('sessions').set(change).where('session_id', '=', sessionId).execute()
}

async function changeRun(tx: Transaction<Schema>, runId: string, state: string): Promise<void> {
  await tx.updateTable('session_runs').set({ state }).where('run_id', '=', runId).execute()
}
