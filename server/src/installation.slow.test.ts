import { expect, inject, test } from 'vitest';
import { findUnrecorded } from './core/audit/coverage.ts';
import { testVariables } from './core/testing/config.ts';
import { testDatabase } from './core/testing/database.ts';
import { runCommand, startProgram } from './core/testing/process.ts';
import { createDatabase } from './core/testing/template.ts';

const password = 'a phrase from the terminal';

test('a new installation: migrate, create the first administrator, refuse the demo, report unpublished audit rows', async () => {
  const empty = await createDatabase(inject('postgresUrl'));
  const run = (args: string[], input = '') => runCommand(empty.url, args, { input });

  const early = startProgram({ program: 'main.ts', environment: testVariables(empty.url, { LOG_LEVEL: 'info' }) });
  const refused = await early.ended;
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain('bursar migrate');

  expect((await run(['migrate'])).stdout).toMatch(/^Applied 0001_foundation\.sql/);
  expect((await run(['migrate'])).stdout).toBe('The database is up to date.\n');
  const created = await run(['admin', 'create', '--username', 'founder'], `${password}\n`);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  expect(created.stdout).toBe(
    'SuperAdmin founder can sign in within 72 hours, and will be asked for a new password.\n',
  );
  expect((await run(['seed', 'demo'])).stdout).toBe('The database has administrators already: nothing was loaded.\n');
  const verified = await run(['audit', 'verify']);
  expect(verified.stderr).toMatch(/row 1 is not covered by any published head/);
  await empty.drop();
}, 120_000);

test('seed demo fills an empty database and prints how to sign in', async () => {
  await using db = await testDatabase();
  const { code, stdout, stderr } = await runCommand(db.url, ['seed', 'demo']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Demo data loaded\. Sign in as \S+ with /);
  const sealed = await db.owner.selectFrom('userSecret').select('userId').where('holdsPrivateKey', '=', true).execute();
  expect(sealed.length).toBeGreaterThan(0);
  expect(await findUnrecorded(db.database)).toEqual([]);
}, 120_000);

test('a weak password or an invalid username creates no administrator', async () => {
  await using db = await testDatabase();
  const create = (username: string, typed: string) =>
    runCommand(db.url, ['admin', 'create', '--username', username], { input: typed });
  for (const { code, stderr } of [
    await create('founder', 'short\n'),
    await create('f', `${password}\n`),
    await create('founder', 'Password12345\n'),
    await create('founder', ''),
  ]) {
    expect(code).toBe(1);
    expect(stderr).not.toContain('at ');
    expect(stderr).not.toContain('Password12345');
  }
  expect(await db.owner.selectFrom('admin').select('id').execute()).toEqual([]);
}, 120_000);
