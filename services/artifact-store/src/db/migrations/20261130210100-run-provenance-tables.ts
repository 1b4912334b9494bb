import { type Kysely, sql } from 'kysely'
import { createFileChanges } from './file-changes-table.js'

export async function createRunProvenanceTables(db: Kysely<unknown>): Promise<void> {
  await sql`create table provenance_runs (
    run_id text primary key,
    project_id text not null,
    session_id text not null,
    agent_id text not null,
    started_at text not null)`.execute(db)
  await sql`create index on provenance_runs (session_id)`.execute(db)
  await sql`create index on provenance_runs (agent_id)`.execute(db)
  await sql`create table provenance_calls (
    run_id text not null,
    call_id text not null,
    name text not null,
    outcome text not null,
    position integer not null,
    primary key (run_id, call_id))`.execute(db)
  await createExecutions(db)
  await createFileChanges(db, 'run_file_changes')
  await sql`create table version_mentions (
    version_id text primary key,
    event_stream text collate "C" not null,
    event_position integer not null)`.execute(db)
}

async function createExecutions(db: Kysely<unknown>): Promise<void> {
  await sql`create table provenance_executions (
    effect_id text primary key,
    execution_id text not null,
    workspace_id text not null,
    run_id text not null,
    call_id text not null,
    state text not null,
    exit_code integer,
    command_preview text not null,
    environment_id text not null,
    environment_revision text not null,
    started_at text not null,
    finished_at text not null,
    inputs_json text not null,
    inputs_total integer not null,
    event_stream text collate "C" not null,
    event_position integer not null)`.execute(db)
  await sql`create index on provenance_executions (execution_id)`.execute(db)
}
