import { randomUUID } from 'node:crypto';
import { Account, TransferKind } from 'contract/ledger.ts';
import { Asset } from 'contract/core/money.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '#server/core/db/db.ts';
import { foldBy, whileFolding } from '#server/core/testing/counters.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { deposit, type PostingParams } from '#server/core/testing/transfers.ts';
import type { Posting } from './posting.ts';
import { foldBalances } from './queries.ts';

const db = await testDatabase();

const { posted, reversed, totalsOf, expectAddsUp } = ledgerOf(db);

const payout = ({ userId, ...it }: PostingParams): Posting => ({
  day: '2026-11-14',
  kind: 'stake-base',
  causeId: randomUUID(),
  part: 0,
  userId,
  asset: 'USD',
  debit: 'stake_rewards',
  credit: 'available',
  units: 10n,
  ...it,
});

test('the contract and the database have the same accounts, kinds and assets in the same order', async () => {
  const valuesOf = async (type: string) =>
    (await sql<{ value: string }>`select unnest(enum_range(null::${sql.raw(type)}))::text as value`.execute(db.owner))
      .rows;
  expect((await valuesOf('ledger_account')).map(({ value }) => value)).toEqual(Account.options);
  expect((await valuesOf('transfer_kind')).map(({ value }) => value)).toEqual(TransferKind.options);
  expect((await valuesOf('asset')).map(({ value }) => value)).toEqual(Asset.options);
});

test('a new user has totals of zero', async () => {
  const { id } = await addUser(db.owner);
  const { userId, ...figures } = await totalsOf(id);
  expect(userId).toBe(id);
  expect(Object.values(figures)).toEqual(Array.from({ length: 15 }, () => 0n));
});

test('concurrent attempts at the same payment of a day: one succeeds', async () => {
  const { id: userId } = await addUser(db.owner);
  const payment = payout({ userId });
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => posted(payment)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await totalsOf(userId)).availableUsd).toBe(10n);
  await posted({ ...payment, day: '2026-11-15' }, { ...payment, kind: 'stake-bonus' });
  expect((await totalsOf(userId)).availableUsd).toBe(30n);
});

const onceOnly = [
  ['deposit', 'outside', 'available'],
  ['stake', 'available', 'staked'],
  ['referral', 'referral_bonuses', 'available'],
  ['task', 'task_rewards', 'available'],
  ['withdrawal', 'available', 'held'],
  ['adjustment', 'treasury', 'available'],
] as const;

test.each(onceOnly)('a %s is paid once and not again on another day', async (kind, debit, credit) => {
  const { id: userId } = await addUser(db.owner);
  await posted(deposit({ userId, units: 1_000n }));
  const payment = deposit({ userId, kind, debit, credit, day: '2026-11-14' });
  await posted(payment);
  const after = await totalsOf(userId);
  await expect(posted({ ...payment, day: '2026-11-15' })).rejects.toThrow('transfer_once_pkey');
  expect(await totalsOf(userId)).toEqual(after);
});

test('a daily payment can be reversed once, and only for the same day', async () => {
  const { id: userId } = await addUser(db.owner);
  await posted(payout({ userId }));
  const insertReversal = (day: string) => sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units, reverses, reverses_day)
    select ${day}::date, kind, cause_id, part, user_id, asset, credit, debit, units, id, day
    from transfer where user_id = ${userId}::uuid and reverses is null`;
  await expect(insertReversal('2026-11-13').execute(db.database)).rejects.toThrow('check constraint');
  await insertReversal('2026-11-14').execute(db.database);
  await expect(insertReversal('2026-11-14').execute(db.database)).rejects.toThrow('unique constraint');
  expect((await totalsOf(userId)).stakedEarnedUsd).toBe(0n);
});

test('concurrent reversals of a transfer: one succeeds', async () => {
  const { id: userId } = await addUser(db.owner);
  const payment = deposit({ userId });
  await posted(payment);
  const tries = await Promise.allSettled(Array.from({ length: 10 }, () => reversed(payment)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await totalsOf(userId)).availableUsd).toBe(0n);
  await expect(reversed(deposit({ userId }))).rejects.toThrow('No deposit was posted');
});

test('a transfer that would make a balance negative is refused with BalanceTooLow', async () => {
  const { id: userId } = await addUser(db.owner);
  const spending = deposit({ userId, kind: 'adjustment', debit: 'available', credit: 'treasury', units: 101n });
  await posted(deposit({ userId }));
  await expect(posted(spending)).rejects.toMatchObject({ code: 'BalanceTooLow' });
  // Concurrent transfers spend the same money, and only one of them succeeds.
  const halves = Array.from({ length: 8 }, () => posted({ ...spending, causeId: randomUUID(), units: 60n }));
  expect((await Promise.allSettled(halves)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await totalsOf(userId)).availableUsd).toBe(40n);
});

test('a payment to a user who does not exist is refused', async () => {
  await expect(posted(payout({ userId: randomUUID() }))).rejects.toThrow('a user who does not exist');
});

test.each([
  ['zero units', { units: 0n }],
  ['negative units', { units: -1n }],
  ['from an account to itself', { debit: 'available' }],
  ['to a user account without a user', { userId: null }],
  ['of a user between platform accounts', { debit: 'outside', credit: 'treasury' }],
  ['SOL of a user', { asset: 'SOL' }],
  ['staked points', { debit: 'available', credit: 'staked', asset: 'SLX' }],
  ['a reward in the wrong asset', { debit: 'task_rewards', asset: 'GMP' }],
  ['dollars from the GMP pool', { debit: 'gmp_pool', asset: 'USD' }],
] satisfies [string, Partial<Posting>][])('a transfer is refused: %s', async (_what, wrong) => {
  const { id: userId } = await addUser(db.owner);
  await posted(deposit({ userId }));
  await expect(posted(deposit({ userId, ...wrong }))).rejects.toThrow('check constraint');
});

const attempts = [
  'update transfer set units = units + 1',
  'delete from transfer',
  'truncate transfer',
  'update transfer_earlier set units = units + 1',
  'delete from transfer_earlier',
  'truncate transfer_earlier',
  'delete from transfer_once',
  'update transfer_once set part = part + 1',
  'truncate transfer_once',
];

test.each(attempts)('no role, not even the owner, can %s', async (attempt) => {
  const { id: userId } = await addUser(db.owner);
  await posted(deposit({ userId, day: '2024-02-03' }));
  for (const who of [db.database, db.worker]) {
    await expect(sql.raw(attempt).execute(who)).rejects.toThrow('permission denied');
  }
  await expect(sql.raw(attempt).execute(db.owner)).rejects.toThrow('append-only');
});

test.each([
  'update user_total set available_usd = 1',
  `insert into user_total (user_id) values ('${randomUUID()}')`,
  `insert into transfer_once values ('deposit', '${randomUUID()}', 0, false, '2026-01-01', 1)`,
  `insert into transfer_earlier (day, kind, cause_id, part, asset, debit, credit, units)
    values ('2024-01-01', 'funding', '${randomUUID()}', 0, 'USD', 'outside', 'treasury', 1)`,
])('no process can bypass the ledger: %s', async (attempt) => {
  for (const who of [db.database, db.worker]) {
    await expect(sql.raw(attempt).execute(who)).rejects.toThrow('permission denied');
  }
});

const balanceOfAll = async (by: Database) =>
  (
    await sql<{ kept: string; truth: string }>`
      select (select coalesce(sum(units), 0) from ledger_balance where account = 'outside' and asset = 'USD') as kept,
        (select coalesce(sum(case 'outside'::ledger_account when credit then units when debit then -units else 0 end), 0) from transfer
          where asset = 'USD') as truth`.execute(by)
  ).rows[0];

test('balances and counters stay exact while several workers fold them during postings', async () => {
  const { id: userId } = await addUser(db.owner);
  const look = async () => {
    const seen = await balanceOfAll(db.owner);
    expect(seen?.kept).toBe(seen?.truth);
  };
  const write = () => posted(deposit({ userId }));
  const fold = foldBy(db, foldBalances);
  await whileFolding({ fold, look, write });
  await fold();
  await expectAddsUp();
  const { rows } = await sql<{ account: string; asset: string }>`select account, asset from ledger_balance`.execute(
    db.owner,
  );
  expect(new Set(rows.map(({ account, asset }) => `${account} ${asset}`)).size).toBe(rows.length);
});

test('the worker creates future partitions, which are append-only like the others', async () => {
  const later = new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10);
  const part = `transfer_${later.slice(0, 7).replace('-', '_')}`;
  await sql`select prepare_months('transfer', ${later}::date), prepare_months('transfer', ${later}::date)`.execute(
    db.worker,
  );
  const { id: userId } = await addUser(db.owner);
  await posted(payout({ userId, day: later }));
  for (const attempt of [`delete from ${part}`, `truncate ${part}`]) {
    await expect(sql.raw(attempt).execute(db.worker)).rejects.toThrow('permission denied');
    await expect(sql.raw(attempt).execute(db.owner)).rejects.toThrow('append-only');
  }
  await expect(sql`select prepare_months('transfer', '2200-01-01')`.execute(db.worker)).rejects.toThrow(
    'too far ahead',
  );
  await expect(sql`select prepare_months('transfer', ${later}::date)`.execute(db.database)).rejects.toThrow(
    'permission denied',
  );
});
