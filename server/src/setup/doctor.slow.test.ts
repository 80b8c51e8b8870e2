import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { expect, inject, onTestFinished, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { openPooler } from '#server/core/testing/pooler.ts';
import { runCommand, startProgram } from '#server/core/testing/process.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { createDatabase } from '#server/core/testing/template.ts';
import { checkNode } from './file-checks.ts';

async function folder() {
  const made = await mkdtemp(path.join(tmpdir(), 'bursar-doctor-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

/** Returns the names of the findings in a state: the text before the first colon. */
const named = (stdout: string, state: string) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith(state))
    .map((line) => line.slice(9, line.indexOf(':', 9)));

test('a running installation passes every check, and logins with excess rights are warnings', async () => {
  await using db = await testDatabase();
  const cwd = await folder();
  const environment = testVariables(db.url, { LOG_LEVEL: 'info' });
  await using server = await testServer(db.url);
  const worker = startProgram({ program: 'worker.ts', environment });
  await eventually(() => worker.said.stdout.includes('"working"'), 30_000);
  const { code, stdout } = await runCommand(db.url, ['doctor'], {
    cwd,
    changes: { PORT: new URL(server.address).port },
  });
  expect(named(stdout, 'failure')).toEqual([]);
  expect(code).toBe(0);
  expect(named(stdout, 'ok')).toEqual(
    expect.arrayContaining(
      'Node.js,Settings file,Settings,Audit heads,Exports,Archive,Owner,PostgreSQL,Clock,Tables,Audit key,Secrets key,Queue,Worker,Shared exports,API'.split(
        ',',
      ),
    ),
  );
  // The tests use a single login, the superuser of the cluster.
  expect(stdout).toMatch(/^warning {2}API login: \S+ works as bursar_app but is a superuser/m);
  expect(stdout).toMatch(/^warning {2}Worker login: \S+ works as bursar_worker but is a superuser/m);
  expect(stdout).toMatch(/^\d+ passed, \d warnings, 0 failed$/m);
  await worker.stop();
}, 90_000);

test('a settings file that others can read, a missing folder and a missing worker are failures', async () => {
  await using db = await testDatabase();
  const cwd = await folder();
  await writeFile(path.join(cwd, '.env'), 'PORT=1\n');
  await chmod(path.join(cwd, '.env'), 0o644);
  const headFile = path.join(cwd, 'nowhere', 'heads.jsonl');
  const { code, stdout } = await runCommand(db.url, ['doctor'], { cwd, changes: { BURSAR_AUDIT_HEAD_FILE: headFile } });
  expect(code).toBe(1);
  expect(named(stdout, 'failure')).toEqual(['Settings file', 'Audit heads', 'Worker']);
  expect(stdout).toContain('Run "chmod 600 .env".');
  expect(stdout).toContain('Start "node server/src/worker.ts".');
}, 60_000);

test('each incomplete setting is named, without its value', async () => {
  const cwd = await folder();
  const changes = { BURSAR_SECRETS_KEY: 'too short', BURSAR_AUDIT_HEAD_FILE: '' };
  const { code, stdout } = await runCommand('postgres://u:hunter2@127.0.0.1/b', ['doctor'], { cwd, changes });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^failure {2}Settings: BURSAR_SECRETS_KEY: /m);
  expect(stdout).toMatch(/^failure {2}Settings: BURSAR_AUDIT_HEAD_FILE: /m);
  expect(stdout).not.toMatch(/hunter2|too short/);
});

test('a database that was never migrated, and one that is newer than the code, are failures', async () => {
  const empty = await createDatabase(inject('postgresUrl'));
  const fresh = await runCommand(empty.url, ['doctor'], { cwd: await folder() });
  expect(fresh.code).toBe(1);
  expect(fresh.stdout).toMatch(/^failure {2}Tables: 0001_foundation\.sql, .* missing\. Run "npx bursar migrate"\.$/m);
  await empty.drop();

  await using db = await testDatabase();
  await sql`insert into kysely_migration values ('9999_later.sql', 'later')`.execute(db.owner);
  const newer = await runCommand(db.url, ['doctor'], { cwd: await folder() });
  expect(newer.stdout).toMatch(/^failure {2}Tables: newer than this code, which does not know 9999_later\.sql\./m);
}, 60_000);

test('an unreachable database, and a pooler that drops the role, are failures of both logins', async () => {
  const nowhere = new URL(inject('postgresUrl'));
  nowhere.port = '1';
  const away = await runCommand(nowhere.href, ['doctor'], { cwd: await folder() });
  expect(away.code).toBe(1);
  expect(named(away.stdout, 'failure')).toEqual(['API login', 'Worker login', 'Owner']);

  await using db = await testDatabase();
  await using pooler = await openPooler(db.url);
  const pooled = await runCommand(pooler.url, ['doctor'], { cwd: await folder() });
  expect(named(pooled.stdout, 'failure')).toEqual(['API login', 'Worker login']);
  expect(pooled.stdout).toContain('a connection pooler may have dropped');
}, 60_000);

test('an audit key that does not match the log, and missing export files, are failures', async () => {
  await using db = await testDatabase();
  await using server = await testServer(db.url);
  const admin = await addAdmin(db.database, { username: 'signs.in' });
  await server.signIn(admin.username);
  await sql`insert into report_export (tab, filter, requested_by, state, finished_at, kept_until)
    values ('task', '{}', ${admin.id}, 'done', now(), now() + interval '1 day')`.execute(db.owner);
  const changes = { BURSAR_AUDIT_KEY: Buffer.alloc(32, 7).toString('base64') };
  const { stdout } = await runCommand(db.url, ['doctor'], { cwd: await folder(), changes });
  expect(named(stdout, 'failure')).toEqual(['Audit key', 'Worker', 'Shared exports']);
}, 60_000);

test('an outdated Node.js is a failure', () => {
  expect(checkNode('20.20.2').state).toBe('failure');
  expect(checkNode('24.0.0').state).toBe('ok');
});
