import { type Plan } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { PlanUpdatedSchema } from '@sciencediscovery/run-events'
import { type Kysely } from 'kysely'
import { type Schema } from '../../db/schema.js'

const ItemsSchema = PlanUpdatedSchema.shape.data.shape.items

export async function planOf(db: Kysely<Schema>, runId: string): Promise<Plan | undefined> {
  const row = await db
    .selectFrom('plans')
    .selectAll()
    .where('run_id', '=', runId)
    .executeTakeFirst()
  if (!row) return undefined
  const items = ItemsSchema.parse(JSON.parse(row.items))
  return {
    agentId: row.agent_id,
    items,
    explanation: row.explanation,
    position: BigInt(row.position),
  }
}
