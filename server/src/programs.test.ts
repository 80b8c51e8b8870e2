import { generateKeyPairSync } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { findUnrecorded } from './core/audit/coverage.ts';
import { testVariables } from './core/testing/config.ts';
import { testDatabase } from './core/testing/database.ts';
import { runCommand, startProgram } from './core/testing/process.ts';
import { eventually } from './core/testing/stream.ts';
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
  expect(verified.stderr).toMatch(/row 1 is not vouched for by any published head/);
  await empty.drop();
}, 120_000);

test('a process that cannot reach its database reports that, and does not suggest a migration', async () => {
  const nowhere = new URL(inject('postgresUrl'));
  nowhere.port = '1';
  const environment = testVariables(nowhere.href, { LOG_LEVEL: 'info' });
  for (const program of ['main.ts', 'worker.ts'] as const) {
    const { code, stdout } = await startProgram({ program, environment }).ended;
    expect(code).toBe(1);
    expect(stdout).toContain('ECONNREFUSED');
    expect(stdout).not.toContain('bursar migrate');
  }
});

test('seed demo fills an empty database and prints how to sign in', async () => {
  await using db = await testDatabase();
  const { code, stdout, stderr } = await runCommand(db.url, ['seed', 'demo']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Demo data loaded\. Sign in as \S+ with /);
  const sealed = await db.owner.selectFrom('userSecret').select('userId').where('holdsPrivateKey', '=', true).execute();
  expect(sealed.length).toBeGreaterThan(0);
  expect(await findUnrecorded(db.database)).toEqual([]);
}, 120_000);

test('an unknown command prints the usage and fails', async () => {
  const { code, stderr } = await runCommand(inject('postgresUrl'), ['make', 'coffee']);
  expect(code).toBe(1);
  expect(stderr).toContain('bursar audit verify');
});

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

test('the keys command prints keys of the required lengths', async () => {
  const { stdout } = await runCommand('', ['keys']);
  const keys = Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  expect(Object.keys(keys)).toEqual([
    'BURSAR_AUDIT_KEY',
    'BURSAR_AUDIT_SIGNING_KEY',
    'BURSAR_AUDIT_VERIFYING_KEY',
    'BURSAR_SECRETS_KEY',
  ]);
  expect(Buffer.from(keys['BURSAR_SECRETS_KEY'] ?? '', 'base64')).toHaveLength(32);
  expect(Buffer.from(keys['BURSAR_AUDIT_KEY'] ?? '', 'base64')).toHaveLength(32);
  const known = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' });
  expect(Buffer.from(keys['BURSAR_AUDIT_SIGNING_KEY'] ?? '', 'base64')).toHaveLength(known.length);
});

test('a program without configuration reports what is missing and exits', async () => {
  const { code, stderr } = await startProgram({ program: 'worker.ts', environment: { PATH: '' } }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('BURSAR_AUDIT_KEY');
});

test('the worker starts with the rights of its role, schedules the jobs of every feature, and stops on a signal', async () => {
  await using db = await testDatabase();
  const worker = startProgram({ program: 'worker.ts', environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
  await eventually(() => worker.said.stdout.includes('"working"'), 20_000);
  const { sql } = await import('kysely');
  const { rows } = await sql<{ name: string }>`select name from pgboss.schedule order by name`.execute(db.owner);
  expect(rows.map(({ name }) => name)).toEqual([
    'approvals.expire',
    'audit.record-denials',
    'audit.verify-nightly',
    'auth.sweep',
    'integrations.pause-failing',
    'ledger.fold-balances',
    'ledger.prepare-months',
    'ledger.verify',
    'ledger.verify-full',
    'outbox.delete-old-events',
    'reports.prepare-activity-days',
    'reports.sweep',
    'runs.archive',
    'runs.delete-plans',
    'runs.due',
    'runs.prepare-months',
    'runs.recover',
    'staking.fold-counts',
    'tasks.fold-counts',
    'tickets.fold-counts',
    'users.fold-counts',
    'users.fold-teams',
    'withdrawals.fold-counts',
    'withdrawals.mark-unknown',
  ]);
  const { code, stdout } = await worker.stop();
  expect(code).toBe(0);
  expect(stdout).not.toContain('"level":"error"');
}, 120_000);
