import { type Run, RunStatus } from '@sciencediscovery/proto-gen/runs/v1/runs'
import { type Kysely, type SelectQueryBuilder } from 'kysely'
import { z } from 'zod'
import { type RunsTable, type Schema, type SessionRunsTable } from '../../db/schema.js'
import { type ForWhom, type Page, type PageRequest } from '../../handlers/views.js'
import { decodePageToken, keyText } from './page-token.js'
import { toPage } from './page.js'
import { projectsOf } from './projects-of.js'

const KeySchema = z.tuple([keyText, keyText])

// A queued run is only in its session; a started one has a row of its own.
type RunRow = SessionRunsTable & {
  [Column in keyof Omit<RunsTable, keyof SessionRunsTable>]: RunsTable[Column] | null
}
type RunQuery = SelectQueryBuilder<Schema & { r: Partial<RunsTable> }, 'session_runs' | 'r', RunRow>

function runQuery(db: Kysely<Schema>): RunQuery {
  return db
    .selectFrom('session_runs')
    .leftJoin('runs as r', 'r.run_id', 'session_runs.run_id')
    .selectAll('session_runs')
    .select([
      'status',
      'reason',
      'started_at',
      'ended_at',
      'model_turns',
      'input_tokens',
      'output_tokens',
    ])
    .select(['cost_usd', 'unpriced_turns', 'is_open', 'writer'])
}

export async function findRun(db: Kysely<Schema>, runId: string): Promise<Run | undefined> {
  const row = await runQuery(db).where('session_runs.run_id', '=', runId).executeTakeFirst()
  return row && toRun(row)
}

export async function listRuns(
  db: Kysely<Schema>,
  filter: ForWhom & { readonly projectId: string; readonly sessionId: string },
  page: PageRequest,
): Promise<Page<Run>> {
  const after = decodePageToken(page.pageToken, KeySchema)
  const rows = await runQuery(db)
    .orderBy('queued_at', 'desc')
    .orderBy('session_runs.run_id', 'desc')
    .$if(filter.projectId !== '', (query) =>
      query.where('session_runs.project_id', '=', filter.projectId),
    )
    .$if(filter.sessionId !== '', (query) =>
      query.where('session_runs.session_id', '=', filter.sessionId),
    )
    .$if(filter.memberId !== undefined, (query) =>
      query.where('session_runs.project_id', 'in', projectsOf(db, filter.memberId ?? '')),
    )
    .$if(after !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('queued_at', 'session_runs.run_id'),
          '<',
          eb.tuple(after?.[0] ?? '', after?.[1] ?? ''),
        ),
      ),
    )
    .limit(page.pageSize + 1)
    .execute()
  return toPage(rows, page.pageSize, (row) => [row.queued_at, row.run_id], toRun)
}

const statuses: Readonly<Record<string, RunStatus>> = {
  running: RunStatus.RUN_STATUS_RUNNING,
  blocked: RunStatus.RUN_STATUS_BLOCKED,
  cancelling: RunStatus.RUN_STATUS_CANCELLING,
  completed: RunStatus.RUN_STATUS_COMPLETED,
  failed: RunStatus.RUN_STATUS_FAILED,
  cancelled: RunStatus.RUN_STATUS_CANCELLED,
}

function statusOf(row: RunRow): RunStatus {
  if (row.status !== null) return statuses[row.status] ?? RunStatus.RUN_STATUS_UNSPECIFIED
  return row.state === 'withdrawn' ? RunStatus.RUN_STATUS_CANCELLED : RunStatus.RUN_STATUS_QUEUED
}

function toRun(row: RunRow): Run {
  const { run_id: runId, session_id: sessionId, project_id: projectId, goal, model } = row
  const status = statusOf(row)
  return { runId, sessionId, projectId, goal, model, status, ...endingOf(row), usage: usageOf(row) }
}

function endingOf(row: RunRow): Pick<Run, 'reason' | 'startedAt' | 'endedAt'> {
  return {
    reason: row.reason ?? '',
    startedAt: row.started_at ?? row.queued_at,
    endedAt: row.ended_at ?? '',
  }
}

function usageOf(row: RunRow): Run['usage'] {
  const unpricedTurns = row.unpriced_turns ?? 0
  return {
    modelTurns: row.model_turns ?? 0,
    inputTokens: BigInt(row.input_tokens ?? 0),
    outputTokens: BigInt(row.output_tokens ?? 0),
    costUsd: unpricedTurns === 0 ? (row.cost_usd ?? 0) : undefined,
    unpricedTurns,
  }
}
