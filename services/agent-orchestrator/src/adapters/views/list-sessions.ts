import { type Session } from '@sciencediscovery/proto-gen/sessions/v1/sessions'
import { type Kysely } from 'kysely'
import { z } from 'zod'
import { type Schema, type SessionsTable } from '../../db/schema.js'
import { SessionSettingsSchema } from '../../domain/session/events.js'
import { toWireSession } from '../../handlers/session-wire.js'
import { type ForWhom, type Page, type PageRequest } from '../../handlers/views.js'
import { decodePageToken, keyText } from './page-token.js'
import { toPage } from './page.js'
import { projectsOf } from './projects-of.js'

const KeySchema = z.tuple([keyText, keyText])

export async function listSessions(
  db: Kysely<Schema>,
  filter: ForWhom & { readonly projectId: string },
  page: PageRequest,
): Promise<Page<Session>> {
  const after = decodePageToken(page.pageToken, KeySchema)
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('session_id', 'desc')
    .$if(filter.projectId !== '', (query) => query.where('project_id', '=', filter.projectId))
    .$if(filter.memberId !== undefined, (query) =>
      query.where('project_id', 'in', projectsOf(db, filter.memberId ?? '')),
    )
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('created_at', 'session_id'),
          '<',
          eb.tuple(after?.[0] ?? '', after?.[1] ?? ''),
        ),
      ),
    )
    .limit(page.pageSize + 1)
    .execute()
  return toPage(rows, page.pageSize, (row) => [row.created_at, row.session_id], toSession)
}

function toSession(row: SessionsTable): Session {
  const session = toWireSession({
    sessionId: row.session_id,
    projectId: row.project_id,
    settings: SessionSettingsSchema.parse(JSON.parse(row.settings)),
    createdAt: row.created_at,
    archivedAt: row.archived_at,
  })
  return { ...session, activeRunId: row.active_run_id }
}
