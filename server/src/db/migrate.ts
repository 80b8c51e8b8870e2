import { readdir, readFile } from 'node:fs/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import { type Db, isUnknownHere } from './db.ts';

const folder = new URL('../../migrations/', import.meta.url);

async function migrationNames() {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

async function readMigrations() {
  const entries = (await migrationNames()).map(async (name) => {
    const text = await readFile(new URL(name, folder), 'utf8');
    return [name, { up: async (db: Kysely<never>) => void (await sql.raw(text).execute(db)) }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Brings the tables to this version of the code, as their owner. Answers the names of what it applied. */
export async function migrate(ownerUrl: string) {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2 });
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  try {
    const { error, results } = await new Migrator({
      db,
      provider: { getMigrations: readMigrations },
    }).migrateToLatest();
    if (error) throw new Error('A migration failed.', { cause: error });
    await sql`grant select on kysely_migration to bursar_app, bursar_worker`.execute(db);
    return (results ?? []).map(({ migrationName }) => migrationName);
  } finally {
    await db.destroy();
  }
}

/** A process that starts on older tables would fail at the first call that needs the new ones. */
export async function assertMigrated(db: Db) {
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db).catch((error: unknown) => {
    if (isUnknownHere(error)) return { rows: [] };
    throw error;
  });
  const names = new Set(applied.rows.map(({ name }) => name));
  const missing = (await migrationNames()).filter((name) => !names.has(name));
  if (missing.length > 0) {
    throw new Error(`The database is not ready: run "npx bursar migrate" first (missing: ${missing.join(', ')}).`);
  }
}
