import { type Migration } from '@sciencediscovery/db'
import { type Kysely, sql } from 'kysely'

export const provenanceMigration: Migration = {
  name: '20261130210100-provenance',
  up: async (db) => {
    await createActivities(db)
    await createFileChanges(db, 'run_file_changes')
    await createFileChanges(db, 'workspace_file_changes')
    await sql`create table workspace_order (
      effect_id text primary key,
      workspace_id text not null,
      position integer not null)`.execute(db)
    await sql`create table version_mentions (
      version_id text primary key,
      event_stream text collate "C" not null,
      event_position integer not null)`.execute(db)
  },
  down: async (db) => {
    await sql`drop table version_mentions, workspace_order, workspace_file_changes, run_file_changes,
      provenance_executions, provenance_calls, provenance_runs`.execute(db)
  },
}

async function createActivities(db: Kysely<unknown>): Promise<void> {
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
    inputs_blob text not null,
    event_stream text collate "C" not null,
    event_position integer not null)`.execute(db)
  await sql`create index on provenance_executions (execution_id)`.execute(db)
}

/** Keyed by hashes: a path may be longer than an index takes. */
async function createFileChanges(db: Kysely<unknown>, table: string): Promise<void> {
  await sql`create table ${sql.id(table)} (
    effect_id text not null,
    file_id text not null,
    path text not null,
    path_hash text not null,
    revision_id text not null,
    project_id text not null,
    workspace_id text not null,
    agent_id text not null,
    change text not null,
    sha256 text,
    previous_sha256 text,
    origin text not null,
    call_id text not null,
    run_id text not null,
    execution_id text not null,
    at text not null,
    event_stream text collate "C" not null,
    event_position integer not null,
    primary key (effect_id, file_id))`.execute(db)
  await sql`create index on ${sql.id(table)} (file_id)`.execute(db)
  await sql`create index on ${sql.id(table)} (project_id, path_hash)`.execute(db)
  await sql`create index on ${sql.id(table)} (agent_id)`.execute(db)
}
