import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { createDatabase } from '#server/core/testing/template.ts';
import { connect } from './db.ts';
import { assertSameVersion } from './migrate.ts';

const settings = { connections: 2, statementTimeoutMs: 5_000, onLostConnection: () => undefined };

async function emptyDatabase() {
  const { url, drop } = await createDatabase(inject('postgresUrl'));
  const { database: owner } = connect({ url, ...settings });
  const run = (text: string) => sql.raw(text).execute(owner);
  const dispose = async () => {
    await owner.destroy();
    await drop();
  };
  return { url, owner, run, [Symbol.asyncDispose]: dispose };
}

test('a failed migration changes nothing and is reported with its name and the error of PostgreSQL', async () => {
  await using empty = await emptyDatabase();
  await empty.run('create table ticket (id int)');
  const { code, stderr } = await runCommand(empty.url, ['migrate']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Migration 0004_tickets\.sql failed\. The tables are as they were\.$/m);
  expect(stderr).toMatch(/^relation "ticket" already exists \(SQLSTATE 42P07\)$/m);
  const { rows } = await sql<{ name: string | null }>`select to_regclass('admin')::text as name`.execute(empty.owner);
  expect(rows).toEqual([{ name: null }]);
}, 60_000);

test('a syntax error is reported with its line', async () => {
  const { describeDatabaseError } = await import('./describe.ts');
  await using empty = await emptyDatabase();
  const text = 'select 1;\nselect 2;\n  selct 3;\n';
  const error = await empty.run(text).catch((reason: unknown) => reason);
  expect(describeDatabaseError(error, text)).toBe('syntax error at or near "selct" (SQLSTATE 42601)\nLine 3: selct 3;');
});

test('a login that lacks a privilege gets an error that names it and says how to get it', async () => {
  await using empty = await emptyDatabase();
  const name = `plain_${empty.url.slice(-12)}`;
  await empty.run(`create role ${name} login password 'a long enough phrase'`);
  const url = new URL(empty.url);
  url.username = name;
  url.password = 'a long enough phrase';
  const migrated = await runCommand(url.href, ['migrate']);
  expect(migrated.code).toBe(1);
  expect(migrated.stderr).toMatch(/permission denied for (schema|database) \S+ \(SQLSTATE 42501\)/);
  const { database } = connect({ url: url.href, role: 'bursar_app', ...settings });
  await expect(assertSameVersion(database)).rejects.toThrow(
    /lacks a right in the database: permission denied to set role "bursar_app"\. Let an administrator .* "npx bursar setup-sql"/,
  );
  await database.destroy();
  await empty.run(`drop role ${name}`);
}, 60_000);

test('migrate refuses a database that is newer than the code', async () => {
  await using empty = await emptyDatabase();
  await runCommand(empty.url, ['migrate']);
  await empty.run(`insert into kysely_migration values ('9999_later.sql', '2099-01-01T00:00:00.000Z')`);
  const { code, stderr } = await runCommand(empty.url, ['migrate']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The database is newer than this code, which does not know 9999_later\.sql\./);
}, 60_000);

test('migrate reports a database that it cannot reach', async () => {
  const nowhere = new URL(inject('postgresUrl'));
  nowhere.port = '1';
  nowhere.hostname = 'localhost';
  const { code, stderr } = await runCommand(nowhere.href, ['migrate']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/ECONNREFUSED/);
});

test('every function with an SQL body names its parameters, because pg_dump cannot write it otherwise', async () => {
  await using db = await testDatabase();
  const { rows } = await db.ownerPool.query<{ name: string }>(
    `select proname as name from pg_proc
     where pronamespace = 'public'::regnamespace and prosqlbody is not null
       and exists (select from generate_series(1, pronargs) as place where coalesce(proargnames[place], '') = '')`,
  );
  expect(rows).toEqual([]);
});
