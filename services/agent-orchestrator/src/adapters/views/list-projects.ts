import { type Project } from '@sciencediscovery/proto-gen/projects/v1/projects'
import { type Kysely } from 'kysely'
import { z } from 'zod'
import { type Schema } from '../../db/schema.js'
import { type ForWhom, type Page, type PageRequest } from '../../handlers/views.js'
import { decodePageToken, keyText } from './page-token.js'
import { toPage } from './page.js'
import { projectsOf } from './projects-of.js'

const KeySchema = z.tuple([keyText])

export async function listProjects(
  db: Kysely<Schema>,
  { memberId }: ForWhom,
  page: PageRequest,
): Promise<Page<Project>> {
  const after = decodePageToken(page.pageToken, KeySchema)
  const rows = await db
    .selectFrom('projects')
    .selectAll()
    .orderBy('project_id')
    .$if(memberId !== undefined, (query) =>
      query.where('project_id', 'in', projectsOf(db, memberId ?? '')),
    )
    .$if(after !== undefined, (query) => query.where('project_id', '>', after?.[0] ?? ''))
    .limit(page.pageSize + 1)
    .execute()
  return toPage(
    rows,
    page.pageSize,
    (row) => [row.project_id],
    (row) => ({
      projectId: row.project_id,
      title: row.title,
      createdAt: row.created_at,
      archivedAt: row.archived_at,
    }),
  )
}
