import { PlatformError } from '@sciencediscovery/kernel'
import { type Kysely, sql } from 'kysely'
import { type Database } from './database.js'

/** One step of a schema, never edited once it was released. */
export interface Migration {
  /** Unique within the service, `<utc-stamp>-<name>`. */
  readonly name: string
  readonly up: (db: Kysely<unknown>) => Promise<void>
  readonly down: (db: Kysely<unknown>) => Promise<void>
}

/** Any database, whatever its tables. */
export type AnyDatabase = Pick<Database<unknown>, 'untyped' | 'schema'>

/** Makes the schema and applies what is missing, in order, all or nothing; returns the names applied. Safe to call at once from many processes. */
export async function migrate(
  database: AnyDatabase,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  refuseDoubles(migrations)
  return locked(database, async (tx) => {
    await makeLedger(tx, database.schema)
    const missing = await missingOf(tx, migrations)
    for (const migration of missing) {
      await migration.up(tx)
      await sql`insert into schema_migrations (name) values (${migration.name})`.execute(tx)
    }
    return missing.map(({ name }) => name)
  })
}

/** The names that `migrate` would apply. A serving process starts only when there are none. */
export async function pendingMigrations(
  database: AnyDatabase,
  migrations: readonly Migration[],
): Promise<readonly string[]> {
  refuseDoubles(migrations)
  const exists = await sql`
    select 1 from pg_tables where schemaname = ${database.schema} and tablename = 'schema_migrations'
  `.execute(database.untyped)
  const missing =
    exists.rows.length === 0 ? migrations : await missingOf(database.untyped, migrations)
  return missing.map(({ name }) => name)
}

/** Takes back every applied migration after the named one, newest first; all of them when none is named. */
export async function revert(
  database: AnyDatabase,
  migrations: readonly Migration[],
  downTo?: string,
): Promise<readonly string[]> {
  const keep = downTo === undefined ? 0 : migrations.findIndex(({ name }) => name === downTo) + 1
  if (downTo !== undefined && keep === 0)
    throw new PlatformError('invalid', `no migration ${downTo}`, { field: 'downTo' })
  return locked(database, async (tx) => {
    const missing = new Set(await missingOf(tx, migrations))
    const applied = migrations
      .slice(keep)
      .filter((migration) => !missing.has(migration))
      .reverse()
    for (const migration of applied) {
      await migration.down(tx)
      await sql`delete from schema_migrations where name = ${migration.name}`.execute(tx)
    }
    return applied.map(({ name }) => name)
  })
}

async function locked<R>(
  database: AnyDatabase,
  work: (tx: Kysely<unknown>) => Promise<R>,
): Promise<R> {
  return database.untyped.transaction().execute(async (tx) => {
    // An index on a large table takes longer than any statement of a request may.
    await sql`set local statement_timeout = '15min'`.execute(tx)
    await sql`select pg_advisory_xact_lock(hashtext(${`migrate ${database.schema}`}))`.execute(tx)
    return work(tx)
  })
}

async function makeLedger(tx: Kysely<unknown>, schema: string): Promise<void> {
  // Asked first: `create schema if not exists` needs the right to create even when it exists.
  const { rows } = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(tx)
  if (rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(tx)
  await sql`create table if not exists ${sql.id(schema)}.schema_migrations (
    name text primary key, applied_at timestamptz not null default now())`.execute(tx)
}

async function missingOf(
  db: Kysely<unknown>,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const { rows } = await sql<{ name: string }>`select name from schema_migrations`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  return migrations.filter(({ name }) => !applied.has(name))
}

function refuseDoubles(migrations: readonly Migration[]): void {
  const names = new Set(migrations.map(({ name }) => name))
  if (names.size !== migrations.length)
    throw new PlatformError('bug', 'two migrations have the same name')
}
