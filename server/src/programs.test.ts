import { generateKeyPairSync } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { testVariables } from './core/testing/config.ts';
import { testDatabase } from './core/testing/database.ts';
import { runCommand, startProgram } from './core/testing/process.ts';
import { eventually } from './core/testing/stream.ts';

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

test('an unknown command prints the usage and fails', async () => {
  const { code, stderr } = await runCommand(inject('postgresUrl'), ['make', 'coffee']);
  expect(code).toBe(1);
  expect(stderr).toContain('bursar audit verify');
});

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
    'counts.fold',
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
    'users.fold-teams',
    'withdrawals.mark-unknown',
  ]);
  const { code, stdout } = await worker.stop();
  expect(code).toBe(0);
  expect(stdout).not.toContain('"level":"error"');
}, 120_000);
