import { type View } from '@sciencediscovery/projection'
import { parseRunEvent } from '@sciencediscovery/run-events'
import { sql } from 'kysely'
import { type Schema } from '../db/schema.js'

/** Tool results that were kept whole, by reference, and what runs were shown of them (S-19, S-20). */
export const toolOutputsView: View<Schema> = {
  name: 'tool_outputs',
  noun: 'runs',
  tables: ['tool_outputs', 'tool_output_reads'],
  up: async (db) => {
    await sql`create table tool_outputs (
      run_id text not null, ref text not null, digest text not null, size_bytes bigint not null,
      lines bigint not null, tool text not null, primary key (ref, run_id))`.execute(db)
    await sql`create table tool_output_reads (
      run_id text not null, position bigint not null, ref text not null, page_key text not null,
      bytes bigint not null, primary key (run_id, position))`.execute(db)
  },
  async apply(tx, { commit }) {
    const run_id = commit.subject.split('.')[3] ?? ''
    for (const [at, recorded] of commit.events.entries()) {
      if (!concerned.has(recorded.type)) continue
      const { type, data } = parseRunEvent(recorded)
      if (type === 'tool_output.stored') {
        const { ref, digest, sizeBytes: size_bytes, lines, tool } = data
        const row = { run_id, ref, digest, size_bytes, lines, tool }
        await tx
          .insertInto('tool_outputs')
          .values(row)
          .onConflict((conflict) => conflict.columns(['ref', 'run_id']).doNothing())
          .execute()
      }
      if (type === 'tool_output.read') {
        const { ref, pageKey: page_key, bytes } = data
        const row = { run_id, position: commit.firstPosition + at, ref, page_key, bytes }
        await tx.insertInto('tool_output_reads').values(row).execute()
      }
    }
  },
}

const concerned = new Set(['tool_output.stored', 'tool_output.read'])
