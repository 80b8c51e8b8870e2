import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { findUnsigned } from '#server/core/approvals/unsigned.ts';
import { openLog } from '#server/core/log.ts';
import { ShuttingDown } from '#server/core/queue/queue.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { publishHead } from './head.ts';
import { nightlyVerification, runVerification } from './verification-work.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ida', permissionSet: 'Auditor' });
await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
const [ida, sue] = [await server.signIn('ida'), await server.signIn('sue')];
const folder = await mkdtemp(path.join(tmpdir(), 'bursar-heads-'));
afterAll(() => rm(folder, { recursive: true }));

const heads = { ...db.config.audit, headFile: path.join(folder, 'heads.jsonl') };
const start = (token = ida) => server.call('POST', '/api/audit/verifications', { token });
const read = async () => (await server.call('GET', '/api/audit/verification', { token: sue })).json;
const work = (id: string, signal = new AbortController().signal) =>
  runVerification(
    { database: db.worker, heads, verifyDecisions: findUnsigned, log: openLog('silent') },
    { id, signal },
  );

async function started() {
  const { status, json } = await start();
  expect(status, JSON.stringify(json)).toBe(200);
  return (json['verification'] as { id: string }).id;
}

test('an auditor starts a verification, and everyone sees its verdict', async () => {
  const id = await started();
  expect(await read()).toMatchObject({ current: { id, state: 'waiting', requestedBy: 'ida' }, last: null });
  expect((await start()).json).toMatchObject({ status: 409, code: 'VerificationRunning' });
  const stream = await openStream(server.address, { authorization: `Bearer ${sue}` });
  await publishHead(db.worker, heads);
  await work(id);
  await stream.heard({ feature: 'audit', id });
  await stream.close();
  const { current, last } = await read();
  expect(current).toBeNull();
  expect(last).toMatchObject({ id, state: 'done', findings: [], endedAt: expect.any(String) });
  expect((last as { rowsDone: number }).rowsDone).toBeGreaterThan(0);
  const audited = db.owner.selectFrom('auditEntry').select('action').where('subjectId', '=', id);
  expect(await audited.execute()).toEqual([{ action: 'audit.verify' }]);
});

test('the nightly job enqueues a verification that waits without a task', async () => {
  const { rows } = await sql<{ id: string }>`
    insert into audit_verification (rows_total) values (0) returning id`.execute(db.owner);
  const enqueued: string[] = [];
  const nightly = nightlyVerification({ enqueue: async (_tx, _task, id) => void enqueued.push(id) });
  await nightly.run(db.worker);
  expect(enqueued).toEqual([rows[0]?.id]);
  await work(enqueued[0] ?? '');
  expect(await read()).toMatchObject({ current: null, last: { id: enqueued[0], state: 'done' } });
});

test('one who may not read the log cannot start a verification, and the API cannot write a verdict', async () => {
  expect((await start(sue)).status).toBe(403);
  const forged = sql`update audit_verification set findings = '[]'`.execute(db.database);
  await expect(forged).rejects.toMatchObject({ code: '42501' });
  const inserted = sql`
    insert into audit_verification (rows_total, state, findings, ended_at) values (1, 'done', '[]', now())`;
  await expect(inserted.execute(db.database)).rejects.toMatchObject({ code: '42501' });
});

test('a verification that a stopping worker leaves is started again, and a broken one ends as failed', async () => {
  const id = await started();
  const stopping = new AbortController();
  stopping.abort(new ShuttingDown());
  await expect(work(id, stopping.signal)).rejects.toThrow(ShuttingDown);
  expect(await read()).toMatchObject({ current: { id, state: 'running' } });
  await work(id);
  expect(await read()).toMatchObject({ current: null, last: { id, state: 'done' } });

  const next = await started();
  const headFile = folder;
  await runVerification(
    { database: db.worker, heads: { ...heads, headFile }, verifyDecisions: findUnsigned, log: openLog('silent') },
    {
      id: next,
      signal: new AbortController().signal,
    },
  );
  expect(await read()).toMatchObject({ current: null, last: { id: next, state: 'failed', findings: [] } });
});

test('the findings of a verification are stored until the next one', async () => {
  const id = await started();
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update audit_entry set details = '{"forged":true}' where seq = 1`.execute(tx);
  });
  await work(id);
  const { last } = await read();
  expect(last).toMatchObject({ state: 'done' });
  expect((last as { findings: object[] }).findings).toContainEqual({
    code: 'row-altered',
    where: ['1'],
    count: 1,
    since: null,
  });
});
