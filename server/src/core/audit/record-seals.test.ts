import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { decideInSql } from '#server/core/testing/decisions.ts';
import { runCommand } from '#server/core/testing/process.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal, deposit, postDeposits } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';
import { findNewDifferences, ledgerOf, verifyBooks } from '#server/core/testing/ledger.ts';
import { findUnsealed, sealEarlierRecords, sealRecords, sealUnsealed } from './record-seals.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const ann = await addAdmin(db.database, { username: 'ann' });
const ben = await addAdmin(db.database, { username: 'ben' });
const user = await addUser(db.owner);
const ledger = ledgerOf(db);
beforeEach(() => db.owner.transaction().execute((tx) => sealUnsealed(tx)));

/** What a stolen login of the API can send: a deposit with the transfer that it explains. */
const forgedDeposit = `with it as (
    insert into deposit (id, user_id, asset, units) values (uuid_v7(), '${user.id}', 'USD', 5000000) returning *)
  insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
  select current_date, 'deposit', id, 0, user_id, asset, 'outside', 'available', units from it returning cause_id as id`;

async function forge(text: string) {
  const { rows } = await db.database.transaction().execute((tx) => sql.raw<{ id: string }>(text).execute(tx));
  return rows[0]?.id ?? '';
}

test('a deposit that agrees with its transfer and was not recorded by Bursar is named, in both forms', async () => {
  await ledger.posted(deposit({ userId: user.id }));
  await ledger.expectSound();
  const id = await forge(forgedDeposit);
  const fault = `a deposit was not recorded by Bursar, or was changed since: ${id}`;
  const verdict = await verifyBooks(db.worker);
  expect(verdict.sound ? [] : verdict.faults).toEqual([fault]);
  const { code, stderr } = await runCommand(db.url, ['ledger', 'verify']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: `The ledger is not sound.\n${fault}\n` });
}, 90_000);

test('a deposit with the nil UUID is named like any other', async () => {
  await using own = await testDatabase();
  const nil = '00000000-0000-0000-0000-000000000000';
  const { id } = await addUser(own.owner);
  await sql`insert into deposit (id, user_id, asset, units) values (${nil}, ${id}, 'USD', 1)`.execute(own.owner);
  expect(await findUnsealed(own.worker, 'deposit')).toEqual([nil]);
});

test('a seal of another record, of another kind or by another key fits nothing', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  await ledger.posted(deposit({ userId: user.id, causeId: one }));
  await forge(`insert into deposit (id, user_id, asset, units, recorded_at)
    select '${other}', user_id, asset, units, recorded_at from deposit where id = '${one}'`);
  await forge(`insert into record_seal select 'deposit', '${other}', seal from record_seal where record_id = '${one}'`);
  await forge(`insert into record_seal values ('deposit', '${other}', sha256('mine'))`);
  expect(await findUnsealed(db.worker, 'deposit')).toEqual([other]);
});

test('a decision that was made in SQL is named, and so is a right to approve', async () => {
  const subjectId = randomUUID();
  const decision = { kind: 'adjustment', subjectId, units: 1n, requestedBy: ann.id, decidedBy: ben.id } as const;
  await db.database.transaction().execute((tx) => decideInSql(tx, decision));
  expect(await findUnsealed(db.worker, 'approval')).toEqual([]);
  const forged = await forge(`insert into approval (kind, subject_id, payload, digest, requested_by, expires_at)
    values ('limit', uuid_v7(), '{}', '', '${ann.id}', now() + interval '1 hour') returning id`);
  expect(await findUnsealed(db.worker, 'approval')).toEqual([forged]);
  await db.database.transaction().execute((tx) => sealRecords(tx, 'approval', [forged]));
  await forge(`update approval set state = 'denied', decided_by = '${ben.id}', decided_at = now(), reason = 'No.'
    where id = '${forged}'`);
  expect(await findUnsealed(db.worker, 'approval')).toEqual([forged]);

  await sql`insert into admin_authority (admin_id, cause) values (${ann.id}, 'password')`.execute(db.owner);
  expect(await findUnsealed(db.worker, 'authority')).toHaveLength(1);
  const { code, stderr } = await runCommand(db.url, ['audit', 'verify']);
  expect(code).toBe(1);
  expect(stderr).toContain(`requests or decisions were not recorded by Bursar, or were changed since: ${forged}`);
  expect(stderr).toContain('rights to approve were not recorded by Bursar, or were changed since: ');
}, 90_000);

test('a withdrawal that nobody requested is named, in both forms, also after it was decided', async () => {
  await using own = await testDatabase();
  const { posted, expectSound } = ledgerOf(own);
  const { id: userId } = await addUser(own.owner);
  await posted(deposit({ userId, units: 5n }));
  await addWithdrawal(own.owner, { userId, units: 1n });
  await expectSound();

  // What a stolen login of the API can send: a request with the transfer that puts its amount on hold.
  const { rows } = await sql<{ id: string }>`
    with request as (
      insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points)
      values (${userId}, 1, 'Mine', 1, 0, 0, 0) returning id)
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select current_date, 'withdrawal', id, 0, ${userId}, 'USD', 'available', 'held', 1 from request
    returning cause_id as id`.execute(own.database);
  const id = rows[0]?.id ?? '';
  const faults = [`a withdrawal was not requested through Bursar, or was changed since: ${id}`];
  expect(await verifyBooks(own.worker)).toEqual({ sound: false, faults });
  expect(await own.owner.transaction().execute(findNewDifferences)).toEqual(faults);

  await own.owner.transaction().execute(async (tx) => {
    await sql`update withdrawal set state = 'rejected', decided_at = now(), reason = 'No.' where id = ${id}`.execute(
      tx,
    );
    await sealRecords(tx, 'withdrawal', [id]);
    const returned = { kind: 'withdrawal', causeId: id, part: 1, debit: 'held', credit: 'available' } as const;
    await postDeposits(tx, [deposit({ userId, units: 1n, ...returned })]);
  });
  expect(await verifyBooks(own.worker)).toEqual({ sound: false, faults });
});

test('the outcome of a withdrawal is sealed in each of its states', async () => {
  const { rows } = await sql<{ id: string }>`
    insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points)
    values (${user.id}, 1, 'Wallet', 1, 0, 0, 0) returning id`.execute(db.owner);
  const id = rows[0]?.id ?? '';
  expect(await findUnsealed(db.worker, 'withdrawal')).toEqual([]);
  await forge(`update withdrawal set state = 'rejected', decided_at = now(), decided_by = '${ann.id}', reason = 'No.'
    where id = '${id}'`);
  expect(await findUnsealed(db.worker, 'withdrawal')).toEqual([id]);
});

test('no process can change or remove a seal, and the owner is stopped by a trigger', async () => {
  for (const statement of [
    `update record_seal set kind = 'deposit'`,
    'delete from record_seal',
    'truncate record_seal',
  ]) {
    await expect(forge(statement)).rejects.toMatchObject({ code: '42501' });
    await expect(sql.raw(statement).execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  }
  await expect(forge(`insert into record_sealing (kind, records) values ('deposit', 0)`)).rejects.toMatchObject({
    code: '42501',
  });
});

test('records from before their kind had seals are sealed once, and records after that are not', async () => {
  await using own = await testDatabase();
  const { id } = await addUser(own.owner);
  const add = () =>
    sql`insert into deposit (id, user_id, asset, units) values (uuid_v7(), ${id}, 'USD', 1)`.execute(own.owner);
  await add();
  await add();
  const seal = async () => Object.fromEntries(await own.owner.transaction().execute(sealEarlierRecords));
  const none = { withdrawal: 0, 'withdrawal-request': 0, approval: 0, authority: 0 };
  expect(await seal()).toEqual({ ...none, deposit: 2 });
  await add();
  expect(await seal()).toEqual({});
  expect(await findUnsealed(own.worker, 'deposit')).toHaveLength(1);
});

test('records are sealed and checked in batches that keep records with one id together', async () => {
  await using own = await testDatabase();
  const { id } = await addUser(own.owner);
  await sql`insert into deposit (id, user_id, asset, units)
    select uuid_v7(), ${id}, 'USD', n from generate_series(1, 20005) as n`.execute(own.owner);
  // On both sides of the end of the first batch.
  await sql`insert into deposit (id, user_id, asset, units)
    select id, user_id, 'GMP', units from deposit where units > 19990`.execute(own.owner);
  await own.owner.transaction().execute((tx) => sealUnsealed(tx));
  expect(await findUnsealed(own.worker, 'deposit')).toEqual([]);
}, 120_000);
