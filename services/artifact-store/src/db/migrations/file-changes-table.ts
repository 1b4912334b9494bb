import { type Kysely, sql } from 'kysely'

/** Keyed by hashes: a path may be longer than an index takes. */
export async function createFileChanges(db: Kysely<unknown>, table: string): Promise<void> {
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
