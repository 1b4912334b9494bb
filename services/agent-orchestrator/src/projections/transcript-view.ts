import { type StoredCommit } from '@sciencediscovery/event-store'
import { type View } from '@sciencediscovery/projection'
import { type RunEvent, parseRunEvent } from '@sciencediscovery/run-events'
import { sql } from 'kysely'
import { type Schema, type TranscriptTable } from '../db/schema.js'

/** The conversation of a session, entry by entry. Runs of a session share a stream, so its sequence orders them. */
export const transcriptView: View<Schema> = {
  name: 'transcript',
  noun: 'runs',
  tables: ['transcript'],
  up: async (db) => {
    await sql`create table transcript (
      run_id text not null, sequence bigint not null, position bigint not null, role text not null,
      text text not null, calls text not null, recorded_at text not null, primary key (run_id, position))`.execute(
      db,
    )
  },
  async apply(tx, stored) {
    const rows = stored.commit.events.flatMap((recorded, at): TranscriptTable[] => {
      if (!conversational.has(recorded.type)) return []
      const entry = entryOf(parseRunEvent(recorded))
      return entry ? [{ ...entry, ...placeOf(stored, at) }] : []
    })
    if (rows.length > 0) await tx.insertInto('transcript').values(rows).execute()
  },
}

const conversational = new Set([
  'message.added',
  'model.turn.completed',
  'tool.call.completed',
  'tool.call.failed',
])

function placeOf(
  { commit, sequence }: StoredCommit,
  at: number,
): Pick<TranscriptTable, 'run_id' | 'sequence' | 'position' | 'recorded_at'> {
  const runId = commit.subject.split('.')[3] ?? ''
  return {
    run_id: runId,
    sequence,
    position: commit.firstPosition + at,
    recorded_at: commit.recordedAt,
  }
}

function entryOf({
  type,
  data,
}: RunEvent): Pick<TranscriptTable, 'role' | 'text' | 'calls'> | undefined {
  if (type === 'message.added')
    return { role: data.role, text: JSON.stringify(data.text), calls: '' }
  if (type === 'model.turn.completed') {
    const calls = data.toolCalls.map(({ callId, name, argumentsText }) => ({
      callId,
      name,
      argumentsText,
    }))
    return {
      role: 'assistant',
      text: JSON.stringify(data.text),
      calls: calls.length === 0 ? '' : JSON.stringify(calls),
    }
  }
  if (type === 'tool.call.completed') {
    const { callId, name, isError, text } = data
    return {
      role: 'tool',
      text: JSON.stringify(text),
      calls: JSON.stringify([{ callId, name, isError }]),
    }
  }
  if (type === 'tool.call.failed') {
    const { callId, name, reason, message } = data
    const calls = JSON.stringify([{ callId, name, isError: true, reason }])
    return { role: 'tool', text: JSON.stringify(message), calls }
  }
  return undefined
}
