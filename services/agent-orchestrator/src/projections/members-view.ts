import { type View } from '@sciencediscovery/projection'
import { sql } from 'kysely'
import { type Schema } from '../db/schema.js'
import { ProjectEventSchema } from '../domain/project/events.js'

/** A row per member of a project: for lists across projects. Single calls are decided from the stream. */
export const membersView: View<Schema> = {
  name: 'members',
  noun: 'projects',
  tables: ['project_members'],
  up: async (db) => {
    await sql`create table project_members (
      project_id text not null, principal_id text not null, role text not null,
      primary key (principal_id, project_id))`.execute(db)
  },
  async apply(tx, { commit }) {
    const projectId = commit.subject.split('.')[1] ?? ''
    for (const recorded of commit.events) {
      const event = ProjectEventSchema.parse(recorded)
      if (event.type === 'project.member.removed') {
        await tx
          .deleteFrom('project_members')
          .where('principal_id', '=', event.data.principalId)
          .where('project_id', '=', projectId)
          .execute()
      }
      if (event.type === 'project.member.added' || event.type === 'project.member.role_set') {
        const { principalId, role } = event.data
        await tx
          .insertInto('project_members')
          .values({ project_id: projectId, principal_id: principalId, role })
          .onConflict((row) => row.columns(['principal_id', 'project_id']).doUpdateSet({ role }))
          .execute()
      }
    }
  },
}
