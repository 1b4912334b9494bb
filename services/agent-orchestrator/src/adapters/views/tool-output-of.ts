import { type Kysely } from 'kysely'
import { type Schema } from '../../db/schema.js'
import { type KeptOutput, type WantedOutput } from '../../handlers/views.js'

export async function toolOutputOf(
  db: Kysely<Schema>,
  { sessionId, runId, ref }: WantedOutput,
): Promise<KeptOutput | undefined> {
  const row = await db
    .selectFrom('tool_outputs')
    .innerJoin('runs', 'runs.run_id', 'tool_outputs.run_id')
    .selectAll('tool_outputs')
    .where('tool_outputs.ref', '=', ref)
    .where('runs.session_id', '=', sessionId)
    .executeTakeFirst()
  if (!row) return undefined
  const reads = await db
    .selectFrom('tool_output_reads')
    .select(['page_key', 'bytes'])
    .where('run_id', '=', runId)
    .where('ref', '=', ref)
    .orderBy('position')
    .execute()
  return {
    digest: row.digest,
    sizeBytes: row.size_bytes,
    lines: row.lines,
    tool: row.tool,
    reads: reads.map(({ page_key: pageKey, bytes }) => ({ pageKey, bytes })),
  }
}
