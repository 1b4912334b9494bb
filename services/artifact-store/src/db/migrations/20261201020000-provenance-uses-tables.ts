import { type Kysely, sql } from 'kysely'

/** Only inputs that are certain: possible ones are most of a workspace, for every execution. */
export async function createProvenanceUsesTables(db: Kysely<unknown>): Promise<void> {
  await sql`create table execution_inputs (
    effect_id text not null,
    file_id text not null,
    sha256 text not null,
    path text not null,
    evidence text not null,
    execution_id text not null,
    started_at text collate "C" not null,
    primary key (effect_id, file_id, sha256))`.execute(db)
  await sql`create index on execution_inputs (file_id, sha256, started_at, effect_id)`.execute(db)
  await sql`create table file_moves (
    effect_id text not null,
    workspace_id text not null,
    from_file_id text not null,
    from_path text not null,
    to_file_id text not null,
    to_path text not null,
    sha256 text not null,
    primary key (effect_id, to_file_id))`.execute(db)
  await sql`create index on file_moves (from_file_id)`.execute(db)
  await sql`create index on file_moves (to_file_id)`.execute(db)
  await sql`create table lost_lists (
    effect_id text not null,
    list text not null,
    workspace_id text not null,
    digest text not null,
    primary key (effect_id, list))`.execute(db)
  await sql`create index on lost_lists (workspace_id)`.execute(db)
  await sql`create table run_models (
    run_id text primary key,
    model text not null,
    profile text not null,
    prompt_digest text not null)`.execute(db)
}
