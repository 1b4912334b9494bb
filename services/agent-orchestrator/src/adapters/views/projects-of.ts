import { type Kysely, type SelectQueryBuilder } from 'kysely'
import { type Schema } from '../../db/schema.js'

/** The projects of a member, for an `in`. */
export function projectsOf(
  db: Kysely<Schema>,
  memberId: string,
): SelectQueryBuilder<Schema, 'project_members', { project_id: string }> {
  return db.selectFrom('project_members').select('project_id').where('principal_id', '=', memberId)
}
