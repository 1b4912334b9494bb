import { type View } from '@sciencediscovery/projection'
import { parseRunEvent } from '@sciencediscovery/run-events'
import { sql } from 'kysely'
import { type Schema } from '../db/schema.js'

/** The plan of each agent of a run as it was last set; set again only by its agent (S-23). */
export const planView: View<Schema> = {
  name: 'plans',
  noun: 'runs',
  tables: ['plans'],
  up: async (db) => {
    await sql`create table plans (
      run_id text not null, agent_id text not null, items text not null, explanation text not null,
      position bigint not null, primary key (run_id, agent_id))`.execute(db)
  },
  async apply(tx, { commit }) {
    const runId = commit.subject.split('.')[3] ?? ''
    for (const [at, recorded] of commit.events.entries()) {
      if (recorded.type !== 'plan.updated') continue
      const event = parseRunEvent(recorded)
      if (event.type !== 'plan.updated') continue
      const { agentId, items, explanation = '' } = event.data
      const row = { items: JSON.stringify(items), explanation, position: commit.firstPosition + at }
      await tx
        .insertInto('plans')
        .values({ run_id: runId, agent_id: agentId, ...row })
        .onConflict((conflict) => conflict.columns(['run_id', 'agent_id']).doUpdateSet(row))
        .execute()
    }
  },
}
