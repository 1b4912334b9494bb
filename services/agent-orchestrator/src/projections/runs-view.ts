import { type StoredCommit } from '@sciencediscovery/event-store'
import { type RunEvent, type Usage, parseRunEvent } from '@sciencediscovery/run-events'
import { type View } from '@sciencediscovery/projection'
import { sql, type Kysely, type Transaction } from 'kysely'
import { type RunsTable, type Schema } from '../db/schema.js'

/** A row per run: where it is, what it cost, and who should see to it. */
export const runsView: View<Schema> = {
  name: 'runs',
  noun: 'runs',
  tables: ['runs'],
  up: async (db: Kysely<unknown>) => {
    await sql`create table runs (
      run_id text primary key, project_id text not null, session_id text not null, status text not null,
      goal text not null, model text not null, reason text not null, started_at text not null,
      ended_at text not null, model_turns int not null, input_tokens bigint not null,
      output_tokens bigint not null, cost_usd double precision not null, unpriced_turns int not null,
      is_open boolean not null, writer text not null)`.execute(db)
    await sql`create index runs_open on runs (run_id) where is_open`.execute(db)
  },
  async apply(tx, { commit }: StoredCommit) {
    const runId = commit.subject.split('.')[3] ?? ''
    for (const recorded of commit.events) await applyEvent(tx, runId, parseRunEvent(recorded))
  },
}

async function applyEvent(tx: Transaction<Schema>, runId: string, event: RunEvent): Promise<void> {
  if (event.type === 'run.started') return insert(tx, event.data)
  if (event.type === 'model.turn.completed') return addUsage(tx, runId, event.data)
  const change = changeOf(event)
  if (change) await tx.updateTable('runs').set(change).where('run_id', '=', runId).execute()
}

async function insert(
  tx: Transaction<Schema>,
  header: Extract<RunEvent, { type: 'run.started' }>['data'],
): Promise<void> {
  const { runId, projectId, sessionId, goal, model, at } = header
  const usage = {
    model_turns: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
    unpriced_turns: 0,
  }
  const row: RunsTable = {
    ...{
      run_id: runId,
      project_id: projectId,
      session_id: sessionId,
      status: 'running',
      goal,
      model,
      reason: '',
    },
    ...{ started_at: at, ended_at: '', is_open: true, writer: '', ...usage },
  }
  await tx.insertInto('runs').values(row).execute()
}

async function addUsage(
  tx: Transaction<Schema>,
  runId: string,
  turn: Extract<RunEvent, { type: 'model.turn.completed' }>['data'],
): Promise<void> {
  await tx
    .updateTable('runs')
    .set((eb) => ({
      model_turns: eb('model_turns', '+', 1),
      input_tokens: eb('input_tokens', '+', turn.inputTokens ?? 0),
      output_tokens: eb('output_tokens', '+', turn.outputTokens ?? 0),
      cost_usd: eb('cost_usd', '+', turn.costUsd ?? 0),
      unpriced_turns: eb('unpriced_turns', '+', turn.costUsd === undefined ? 1 : 0),
    }))
    .where('run_id', '=', runId)
    .execute()
}

function changeOf(event: RunEvent): Partial<RunsTable> | undefined {
  const { type, data } = event
  if (
    type === 'model.turn.requested' ||
    type === 'tool.call.requested' ||
    type === 'tool.call.released'
  ) {
    return { writer: data.writer, status: 'running' }
  }
  if (type === 'tool.call.blocked') return { status: 'blocked' }
  if (type === 'run.cancel.requested') return { status: 'cancelling' }
  if (type === 'run.completed') return endOf('completed', '', data)
  if (type === 'run.failed') return endOf('failed', data.reason, data)
  if (type === 'run.cancelled') return endOf('cancelled', data.reason, data)
  return undefined
}

function endOf(
  status: string,
  reason: string,
  end: { readonly usage: Usage; readonly at: string },
): Partial<RunsTable> {
  const { usage, at } = end
  return {
    ...{
      status,
      reason,
      ended_at: at,
      is_open: false,
      model_turns: usage.modelTurns,
      cost_usd: usage.costUsd,
    },
    ...{
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      unpriced_turns: usage.unpricedTurns,
    },
  }
}
