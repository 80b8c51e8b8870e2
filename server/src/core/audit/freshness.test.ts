import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { findUnsigned } from '#server/core/approvals/unsigned.ts';
import { testVariables } from '#server/core/testing/config.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { runCommand, startProgram } from '#server/core/testing/process.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { genesisSeal, recordAudit, sealOf } from './audit.ts';
import { publishHead } from './head.ts';
import { insertEntry, selectLastEntry } from './queries.ts';
import { verifyEverything } from './verification.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
const token = await server.signIn('sue');
const folder = await mkdtemp(path.join(tmpdir(), 'bursar-heads-'));
afterAll(() => rm(folder, { recursive: true }));

let heads = { ...db.config.audit, headFile: '' };
let files = 0;
beforeEach(async () => {
  files += 1;
  heads = { ...db.config.audit, headFile: path.join(folder, `${files}.jsonl`) };
  await sql`delete from audit_head`.execute(db.owner);
  await db.database.transaction().execute((tx) => recordAudit(tx, { actorId: null, action: 'tickets.create' }));
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const found = async () => (await verifyEverything(db.database, { heads, verifyDecisions: findUnsigned })).findings;
const onHome = async () => (await server.call('GET', '/api/audit/verification', { token })).json;

/** Appends a row that was written at this time. */
const writeAt = (at: Date) =>
  db.database.transaction().execute(async (tx) => {
    const last = await selectLastEntry(tx);
    const seq = (last?.seq ?? 0n) + 1n;
    const entry = { seq, at, actorId: null, apiKeyId: null, action: 'tickets.reply', subjectId: null, details: '{}' };
    await insertEntry(tx, { ...entry, seal: sealOf(last?.seal ?? genesisSeal, entry) });
    return String(seq);
  });

test('a head that was just published is fresh, and Home gets it', async () => {
  await publishHead(db.worker, heads);
  expect(await found()).toEqual([]);
  expect(await onHome()).toMatchObject({ heads: null, publishedAt: expect.any(String) });
});

test('a publisher that has stopped is named by the command and on Home', async () => {
  const stoppedAt = minutesAgo(6);
  await publishHead(db.worker, heads, stoppedAt);
  expect(await found()).toMatchObject([{ code: 'publisher-stopped', since: stoppedAt }]);
  expect(await onHome()).toMatchObject({
    heads: { code: 'publisher-stopped', since: stoppedAt.toISOString() },
    publishedAt: stoppedAt.toISOString(),
  });
  const changes = { BURSAR_AUDIT_HEAD_FILE: heads.headFile };
  expect(await runCommand(db.url, ['audit', 'verify'], { changes })).toMatchObject({
    code: 1,
    stderr: `The audit log is not sound: the publisher of heads has stopped: the newest head is from ${stoppedAt.toISOString()}.\n`,
  });
});

test('a head is fresh for five minutes, and rows beyond it may wait for as long', async () => {
  await publishHead(db.worker, heads, minutesAgo(4.9));
  await writeAt(minutesAgo(4.8));
  expect(await found()).toEqual([]);
});

test('rows beyond a fresh head that have waited for more than five minutes are named', async () => {
  await publishHead(db.worker, heads, minutesAgo(4));
  const row = await writeAt(minutesAgo(6));
  await writeAt(minutesAgo(1));
  expect(await found()).toMatchObject([{ code: 'rows-unpublished', where: [row] }]);
  expect(await onHome()).toMatchObject({ heads: { code: 'rows-unpublished', where: [row] } });
});

test('without any head, old rows are named', async () => {
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`delete from audit_entry`.execute(tx);
  });
  await writeAt(minutesAgo(6));
  expect(await found()).toMatchObject([{ code: 'head-missing' }]);
  expect(await onHome()).toMatchObject({ heads: { code: 'head-missing' }, publishedAt: null });
});

test('a head of today that the worker never signed is named, not believed', async () => {
  await publishHead(db.worker, heads, minutesAgo(6));
  await sql`update audit_head set at = now()`.execute(db.worker);
  expect(await onHome()).toMatchObject({ heads: { code: 'head-forged' }, publishedAt: null });
});

test('the same row is published again after two minutes, and new rows at once', async () => {
  const lines = async () => (await readFile(heads.headFile, 'utf8')).trim().split('\n').length;
  await publishHead(db.worker, heads, minutesAgo(4));
  await publishHead(db.worker, heads, minutesAgo(3));
  expect(await lines()).toBe(1);
  await publishHead(db.worker, heads, minutesAgo(1));
  expect(await lines()).toBe(2);
  await writeAt(new Date());
  await publishHead(db.worker, heads);
  expect(await lines()).toBe(3);
});

test('a worker publishes by its own timer, whatever the schedules of the queue say', async () => {
  const environment = testVariables(db.url, { LOG_LEVEL: 'info', BURSAR_AUDIT_HEAD_FILE: heads.headFile });
  const worker = startProgram({ program: 'worker.ts', environment });
  await eventually(() => worker.said.stdout.includes('"working"'), 20_000);
  expect(await found()).toEqual([]);
  const { rows } = await sql`select from pgboss.schedule where name like '%publish%'`.execute(db.owner);
  expect(rows).toEqual([]);
  expect((await worker.stop()).code).toBe(0);
}, 60_000);
