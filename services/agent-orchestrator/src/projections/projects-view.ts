import { type View } from '@sciencediscovery/projection'
import { sql } from 'kysely'
import { type ProjectsTable, type Schema } from '../db/schema.js'
import { type ProjectEvent, ProjectEventSchema } from '../domain/project/events.js'

/** A row per project. */
export const projectsView: View<Schema> = {
  name: 'projects',
  noun: 'projects',
  tables: ['projects'],
  up: async (db) => {
    await sql`create table projects (
      project_id text primary key, title text not null, created_at text not null, archived_at text not null)`.execute(
      db,
    )
  },
  async apply(tx, { commit }) {
    const projectId = commit.subject.split('.')[1] ?? ''
    for (const recorded of commit.events) {
      const event = ProjectEventSchema.parse(recorded)
      if (event.type === 'project.created') {
        const { title, at } = event.data
        await tx
          .insertInto('projects')
          .values({ project_id: projectId, title, created_at: at, archived_at: '' })
          .execute()
        continue
      }
      const change = changeOf(event)
      if (change)
        await tx.updateTable('projects').set(change).where('project_id', '=', projectId).execute()
    }
  },
}

function changeOf(event: ProjectEvent): Partial<ProjectsTable> | undefined {
  if (event.type === 'project.renamed') return { title: event.data.title }
  return event.type === 'project.archived' ? { archived_at: event.data.at } : undefined
}
