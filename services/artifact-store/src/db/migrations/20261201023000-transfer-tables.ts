import { type Kysely, sql } from 'kysely'

/** Times sort by code point on every server: page tokens depend on it. */
export async function createTransferTables(db: Kysely<unknown>): Promise<void> {
  await sql`create table transfers (
    transfer_id text primary key,
    project_id text not null,
    agent_id text not null,
    queued_at text collate "C" not null)`.execute(db)
  await sql`create index on transfers (project_id, agent_id, queued_at, transfer_id)`.execute(db)
  await sql`create table transfer_copies (
    revision_id text primary key,
    transfer_id text not null,
    source_workspace_id text not null,
    source_file_id text not null,
    source_path text not null,
    target_workspace_id text not null,
    target_file_id text not null,
    target_path text not null,
    sha256 text not null,
    event_position integer not null)`.execute(db)
  await sql`create index on transfer_copies (source_file_id)`.execute(db)
}
