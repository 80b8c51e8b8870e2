import { readdir, readFile } from 'node:fs/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type MigrationResult, Migrator } from 'kysely/migration';
import pg from 'pg';
import { type Db, isMissingTableOrRole } from './db.ts';
import { describeDatabaseError } from './describe.ts';
import { ensureRoles, isDenied } from './roles.ts';

const folder = new URL('../../../migrations/', import.meta.url);

async function migrationNames() {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
}

const readMigration = (name: string) => readFile(new URL(name, folder), 'utf8');

/** What a migration does to existing rows after its SQL, in the same transaction, because it needs more than SQL. */
export type Conversions = Readonly<Record<string, (db: Pick<Db, 'getExecutor'>) => Promise<unknown>>>;

async function readMigrations(conversions: Conversions) {
  const entries = (await migrationNames()).map(async (name) => {
    const text = await readMigration(name);
    const up = async (db: Kysely<never>) => {
      await sql.raw(text).execute(db);
      await conversions[name]?.(db);
    };
    return [name, { up }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Creates the roles and applies the missing migrations as the owner of the tables. All migrations of one call are one
 * transaction. Returns the names of those that it applied. Throws if the database is newer than the code. Only an empty
 * database needs no conversions.
 */
export async function migrate(ownerUrl: string, conversions: Conversions = {}) {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 2 });
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  try {
    refuseNewer(await readMigrationState(db));
    await ensureRoles(db);
    const { error, results = [] } = await new Migrator({
      db,
      provider: { getMigrations: () => readMigrations(conversions) },
    }).migrateToLatest();
    if (error !== undefined) throw await migrationFailure(error, results);
    await sql`grant select on kysely_migration to bursar_app, bursar_worker`.execute(db);
    return results.map(({ migrationName }) => migrationName);
  } finally {
    await db.destroy();
  }
}

async function migrationFailure(cause: unknown, results: readonly MigrationResult[]) {
  const failed = results.find(({ status }) => status === 'Error')?.migrationName;
  const text = failed && (await readMigration(failed));
  const what = failed ? `Migration ${failed}` : 'The migration';
  return new Error(`${what} failed. The tables are as they were.\n${describeDatabaseError(cause, text)}`, { cause });
}

type MigrationState = {
  /** Migrations of this code that the database does not have. */
  missing: string[];
  /** Migrations of the database that this code does not have. */
  unknown: string[];
};

export async function readMigrationState(db: Pick<Db, 'getExecutor'>): Promise<MigrationState> {
  const applied = await sql<{ name: string }>`select name from kysely_migration`.execute(db).catch((error: unknown) => {
    if (isMissingTableOrRole(error)) return { rows: [] };
    throw error;
  });
  const inDatabase = applied.rows.map(({ name }) => name);
  const inCode = await migrationNames();
  return {
    missing: inCode.filter((name) => !inDatabase.includes(name)),
    unknown: inDatabase.filter((name) => !inCode.includes(name)).sort(),
  };
}

/** Throws if a migration is missing: the process would fail at the first call that needs it. */
export async function assertMigrated(db: Db) {
  refuseOlder(await readMigrationState(db));
}

/**
 * Throws at the start of a process if the tables are older or newer than the code: on newer tables it could fail, or
 * write rows that the newer version misreads. A process that is already running stays ready while the tables are
 * migrated, because an upgrade may have to let it finish.
 */
export async function assertSameVersion(db: Db) {
  const state = await readMigrationState(db).catch((error: unknown) => {
    throw isDenied(error) ? deniedAccess(error) : error;
  });
  refuseOlder(state);
  refuseNewer(state);
}

function deniedAccess(cause: pg.DatabaseError) {
  const advice =
    'Let an administrator of the database run what "npx bursar setup-sql" prints, then run "npx bursar migrate".';
  return new Error(`The login of this process lacks a right in the database: ${cause.message}. ${advice}`, { cause });
}

function refuseOlder({ missing }: MigrationState) {
  if (missing.length === 0) return;
  throw new Error(`The database is not ready: run "npx bursar migrate" first (missing: ${missing.join(', ')}).`);
}

function refuseNewer({ unknown }: MigrationState) {
  if (unknown.length === 0) return;
  throw new Error(
    `The database is newer than this code, which does not know ${unknown.join(', ')}. ` +
      'Use the version of Bursar that migrated it, or a later one. Nothing was changed.',
  );
}
