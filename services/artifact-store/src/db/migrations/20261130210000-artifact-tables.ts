import { type Kysely, sql } from 'kysely'

/** Names sort by code point on every server: page tokens depend on it. */
export async function createArtifactTables(db: Kysely<unknown>): Promise<void> {
  await sql`create table artifacts (
    artifact_id text primary key,
    project_id text not null,
    name text collate "C" not null,
    kind text not null,
    origin text not null,
    created_session_id text not null,
    created_session_title text not null,
    newest_version integer not null,
    unique (project_id, name))`.execute(db)
  await sql`create table artifact_versions (
    version_id text primary key,
    artifact_id text not null,
    version integer not null,
    sha256 text not null,
    size_bytes bigint not null,
    media_type text not null,
    source_path text not null,
    source_file_id text not null,
    origin text not null,
    description text not null,
    workspace_id text not null,
    session_id text not null,
    run_id text not null,
    call_id text not null,
    agent_id text not null,
    declared_at text not null,
    position integer not null,
    unique (artifact_id, version))`.execute(db)
  await sql`create index on artifact_versions (source_file_id)`.execute(db)
}
