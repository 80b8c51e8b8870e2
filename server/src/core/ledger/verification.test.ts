import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readVerification, type VerificationForm } from 'contract/ledger-verification.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { ShuttingDown } from '#server/core/queue/queue.ts';
import { sealRecords, sealUnsealed } from '#server/core/audit/record-seals.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { bookQuestions, ledgerOf } from '#server/core/testing/ledger.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { addWithdrawal, deposit, postDeposits } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

import { verificationJobs } from './verification-jobs.ts';
import { verifyLedger } from './verification.ts';

const { db, server } = await testEnvironment();
const { posted } = ledgerOf(db);
const { id: userId } = await addUser(db.owner, { username: 'mira' });
const verify = (form: VerificationForm = 'incremental') => verifyLedger(db.worker, { form, questions: bookQuestions });
const passed = (form: VerificationForm, transfers: bigint) => ({ form, transfers, differences: [] });

/** Posts deposits of the platform in a transaction that stays open until it is told to commit, and locks no user. */
async function openPosting({ deposits, day }: { deposits: number; day?: string }) {
  const [isPosted, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const committed = db.database.transaction().execute(async (tx) => {
    const postings = Array.from({ length: deposits }, () =>
      deposit({ userId: null, credit: 'treasury', ...(day && { day }) }),
    );
    await postDeposits(tx, postings);
    isPosted.resolve();
    await mayCommit.promise;
  });
  await isPosted.promise;
  return {
    commit() {
      mayCommit.resolve();
      return committed;
    },
  };
}

/** Changes rows as someone with full access to the database could. */
const tamper = (statement: string) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql.raw(statement).execute(tx);
  });

test('the first verification reads everything, and the next ones what was posted since', async () => {
  await posted(deposit({ userId }), deposit({ userId }));
  expect(await verify()).toEqual(passed('full', 2n));
  expect(await verify()).toEqual(passed('incremental', 0n));
  await posted(deposit({ userId }));
  await posted(deposit({ userId: null, credit: 'treasury' }));
  expect(await verify()).toEqual(passed('incremental', 2n));
  expect(await verify('full')).toEqual(passed('full', 4n));
  expect(await verify()).toEqual(passed('incremental', 0n));
});

test('a transaction that started before a verification and commits after it is verified by the next one', async () => {
  await verify('full');
  const early = await openPosting({ deposits: 2 });
  const old = await openPosting({ deposits: 3, day: '2020-02-29' });
  await posted(deposit({ userId }));
  expect(await verify()).toEqual(passed('incremental', 1n));
  await early.commit();
  expect(await verify()).toEqual(passed('incremental', 2n));
  await old.commit();
  expect(await verify()).toEqual(passed('incremental', 3n));
});

test('two sessions that draw their numbers in turns are told apart', async () => {
  await verify('full');
  // A session draws a hundred numbers at a time, so the statement of one is spread over several draws.
  const [one, other] = await Promise.all([openPosting({ deposits: 350 }), openPosting({ deposits: 250 })]);
  await one.commit();
  expect(await verify()).toEqual(passed('incremental', 350n));
  await other.commit();
  expect(await verify()).toEqual(passed('incremental', 250n));
});

test('a statement is listed with exactly its numbers, consecutive or not', async () => {
  const listed = async (ids: string) => {
    await sql`
      insert into transfer (id, day, kind, cause_id, part, asset, debit, credit, units)
      select id, '2026-11-09', 'deposit', gen_random_uuid(), 0, 'USD', 'outside', 'treasury', 1
      from unnest(${ids}::bigint[]) as id`.execute(db.owner);
    const newest = sql<{ ids: string }>`select ids::text from unverified_batch order by ctid desc limit 1`;
    return (await newest.execute(db.owner)).rows[0]?.ids;
  };
  expect(await listed('{90001,90002,90003}')).toBe('{[90001,90004)}');
  expect(await listed('{91098,91099,91100,91301,91302}')).toBe('{[91098,91101),[91301,91303)}');
  expect(await listed('{92001,92003,92004,92199,92200}')).toBe('{[92001,92002),[92003,92005),[92199,92201)}');
  await sql`
    insert into deposit (id, asset, units)
    select cause_id, asset, units from transfer where id between 90000 and 99999`.execute(db.owner);
  await db.owner.transaction().execute((tx) => sealUnsealed(tx));
  expect(await verify()).toEqual(passed('incremental', 13n));
});

test('a cause that changes after its transfers were verified is compared with all of them', async () => {
  const id = await addWithdrawal(db.owner, { userId, units: 40n });
  expect(await verify()).toEqual(passed('incremental', 2n));
  await db.owner.transaction().execute(async (tx) => {
    await tx
      .updateTable('withdrawal')
      .set({ state: 'rejected', decidedAt: new Date(), reason: 'x' })
      .where('id', '=', id)
      .execute();
    await sealRecords(tx, 'withdrawal', [id]);
    const returned = { kind: 'withdrawal', causeId: id, part: 1, debit: 'held', credit: 'available' } as const;
    await postDeposits(tx, [deposit({ userId, units: 40n, ...returned })]);
  });
  expect(await verify()).toEqual(passed('incremental', 1n));
});

test('a cause that changes without its transfers is found, and so is a transfer that is gone before it was verified', async () => {
  await using other = await testDatabase();
  const { id } = await addUser(other.owner);
  const ledger = ledgerOf(other);
  const find = async () =>
    (await verifyLedger(other.worker, { form: 'incremental', questions: bookQuestions }))?.differences.map(
      ({ code }) => code,
    );
  await ledger.posted(deposit({ userId: id }));
  const withdrawal = await addWithdrawal(other.owner, { userId: id, units: 40n });
  expect(await find()).toEqual([]);
  await other.owner.transaction().execute(async (tx) => {
    await sql`update withdrawal set state = 'rejected', decided_at = now(), reason = 'x' where id = ${withdrawal}`.execute(
      tx,
    );
    await sealRecords(tx, 'withdrawal', [withdrawal]);
  });
  expect(await find()).toEqual(['held-balance', 'withdrawal']);
  await ledger.posted(
    deposit({
      userId: id,
      units: 40n,
      kind: 'withdrawal',
      causeId: withdrawal,
      part: 1,
      debit: 'held',
      credit: 'available',
    }),
  );
  expect(await find()).toEqual([]);
  const causeId = randomUUID();
  await ledger.posted(deposit({ userId: id, causeId }));
  await sql`alter table transfer disable trigger user`.execute(other.owner);
  await sql`delete from transfer where cause_id = ${causeId}`.execute(other.owner);
  expect(await find()).toEqual(['account-balance', 'transfer-missing', 'deposit', 'transfer-count']);
});

const readHome = async (token: string) => {
  const { status, json } = await server.call('GET', readVerification.url, { token });
  expect(status).toBe(200);
  return readVerification.answer.parse(json);
};

test('differences stay until a verification of at least the same scope passes', async () => {
  await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
  const token = await server.signIn('sue');
  await verify('full');
  expect(await readHome(token)).toMatchObject({ passed: { form: 'full', differences: [] }, failed: null });
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });

  await posted(deposit({ userId }));
  await tamper(`update user_total set slx = slx + 1 where user_id = '${userId}'`);
  const wrong = [{ code: 'user-totals', params: { count: 1, where: [userId] } }];
  expect(await verify()).toEqual({ form: 'incremental', transfers: 1n, differences: wrong });
  await stream.heard({ feature: 'ledger' });
  await stream.close();
  expect((await readHome(token)).failed).toMatchObject({ form: 'incremental', transfers: 1, differences: wrong });
  // Nothing was marked as verified, so the next one finds it again.
  expect(await verify()).toMatchObject({ transfers: 1n, differences: wrong });
  expect((await verify('full'))?.differences.map(({ code }) => code)).toEqual(['user-totals', 'totals-of-all-users']);

  await tamper(`update user_total set slx = slx - 1 where user_id = '${userId}'`);
  expect(await verify()).toEqual(passed('incremental', 1n));
  const { passed: last, failed } = await readHome(token);
  expect(last).toMatchObject({ form: 'incremental', transfers: 1 });
  expect(failed).toMatchObject({ form: 'full' });
  await verify('full');
  expect(await readHome(token)).toMatchObject({ failed: null, lastFullAt: expect.any(Date) });
});

test('two verifications never run at the same time', async () => {
  const transaction = db.owner.transaction();
  await transaction.execute(async (tx) => {
    await sql`lock table verified_balance in share row exclusive mode`.execute(tx);
    expect(await verify()).toBeUndefined();
  });
  const both = await Promise.all([verify('full'), verify('full')]);
  expect(both.filter(Boolean).length).toBeGreaterThan(0);
  expect(await verify()).toMatchObject({ differences: [] });
});

async function runJob(name: string) {
  const lines = new PassThrough();
  const log = openLog('info', lines);
  const stopping = new AbortController().signal;
  const jobs = verificationJobs({ database: db.worker, questions: bookQuestions, fullEvery: 'weekly', log, stopping });
  await jobs.find((job) => job.name === name)?.run(db.worker);
  lines.end();
  return text(lines);
}

test('the job logs differences as errors, and records the verdict', async () => {
  expect(await runJob('ledger.verify')).toBe('');
  await tamper(`insert into ledger_balance values ('treasury', 'USD', 1)`);
  const logged = await runJob('ledger.verify');
  expect(logged).toContain('"level":"error"');
  expect(logged).toContain('the accounts of an asset do not add up to zero: USD');
  await tamper(`insert into ledger_balance values ('treasury', 'USD', -1)`);
  expect(await runJob('ledger.verify-full')).toBe('');
  const newest = db.database.selectFrom('ledgerVerification').selectAll().orderBy('id', 'desc').limit(2);
  const rows = await newest.execute();
  expect(rows.map(({ form, point }) => [form, point !== null])).toEqual([
    ['full', true],
    ['incremental', false],
  ]);
});

test('a worker that stops does not wait for its verification', async () => {
  const stopping = new AbortController();
  const slow = { ...bookQuestions, 'asset-sum': () => sql`select pg_sleep(5)::text as where` };
  const settings = {
    database: db.worker,
    fullEvery: 'daily',
    log: openLog('silent'),
    stopping: stopping.signal,
  } as const;
  const [job] = verificationJobs({ ...settings, questions: slow });
  const verifying = job?.run(db.worker);
  setTimeout(() => stopping.abort(), 300);
  await expect(verifying).rejects.toThrow(ShuttingDown);
});
