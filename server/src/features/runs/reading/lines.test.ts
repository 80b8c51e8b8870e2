import { parseAmount } from 'contract/core/money.ts';
import type { LineSort, RunLine } from 'contract/runs-lines.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { listLines } from './detail.ts';

/* The payments of one run: 40 of the same amount, one user with three stakes, and a user who is skipped. */
const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
// Several chunks, each with its own order.
const runs = runsOf(db, { linesInChunk: 10 });
await addAdmin(db.owner, { username: 'ann' });
await fillTreasury(db.owner, 'USD', 10n ** 15n);
await setRunLimit(db.owner, 10n ** 15n);
const now = new Date();
const placedOn = new Date(now.getTime() - 10 * 86_400_000).toISOString().slice(0, 10);
await addCrowd(db.owner, { users: 40, placedOn });
const owner = await addUser(db.owner, { username: 'milan.costa', userId: 'U-777' });
const stakes: string[] = [];
for (const dollars of [5_000n, 250n, 1_000n]) {
  stakes.push(await addStake(db.owner, { userId: owner.id, units: dollars * 1_000_000n, placedOn }));
}
const ineligible = await addUser(db.owner, { username: 'mallory', blacklistedAt: now, blacklistReason: 'Fraud' });
await addStake(db.owner, { userId: ineligible.id, units: 9_000_000_000n, placedOn });
await sql`analyze`.execute(db.owner);
const { id } = await runs.create('stake-payout', now);
await runs.plan(id);

type Query = Omit<Parameters<typeof listLines>[1], 'id'>;

const list = (query: Query = {}) => listLines(db.database, { id, ...query });

const paid = ({ base, bonus, closing }: RunLine) =>
  [base, bonus, closing].reduce((sum, amount) => sum + parseAmount(amount, 'USD'), 0n);

/** Reads all pages forwards and then backwards, and expects the same lines. */
async function everyPage(query: Query) {
  const lines: RunLine[] = [];
  let page = await list({ ...query, limit: 7 });
  for (;;) {
    lines.push(...page.lines);
    if (page.nextCursor === null) break;
    page = await list({ ...query, limit: 7, cursor: page.nextCursor });
  }
  const back: RunLine[] = [...page.lines];
  while (page.previousCursor !== null) {
    page = await list({ ...query, limit: 7, cursor: page.previousCursor });
    back.unshift(...page.lines);
  }
  expect(back).toEqual(lines);
  return lines;
}

test('payments are found by any part of the user’s name or number, with the ids of their stakes', async () => {
  const { rows } = await sql<{ stakeId: string }>`
    select stake_id as "stakeId" from stake where id = any(${stakes}::uuid[]) order by id`.execute(db.owner);
  for (const search of ['MILAN.c', 'u-777', 'wallet-of-milan']) {
    const { lines, total } = await list({ search });
    expect(total).toEqual({ count: 3, capped: false });
    expect(lines.map(({ stakeId }) => stakeId)).toEqual(rows.map(({ stakeId }) => stakeId));
    expect(new Set(lines.map(({ user }) => user.userId))).toEqual(new Set(['U-777']));
  }
  expect((await list({ search: 'nobody at all' })).total).toEqual({ count: 0, capped: false });
  expect((await list({ user: owner.id, search: 'crowd' })).lines).toEqual([]);
});

test('payments are found by an exact amount and by a range, of all users or of one', async () => {
  expect(await list({ minAmount: '2.5', maxAmount: '2.50' })).toMatchObject({
    lines: [{ user: { username: 'milan.costa' }, base: '2.50' }],
    total: { count: 1, capped: false },
  });
  expect((await list({ minAmount: '0.125', maxAmount: '0.5' })).lines).toHaveLength(2);
  expect((await list({ minAmount: '0.3', search: 'milan' })).lines).toHaveLength(2);
  expect((await list({ maxAmount: '0' })).lines).toMatchObject([{ skip: 'blacklisted' }]);
  expect((await list({ skip: 'blacklisted', minAmount: '0.01' })).lines).toEqual([]);
  expect((await list({ skip: 'blacklisted', maxAmount: '1' })).lines).toHaveLength(1);
});

test.each<[LineSort, Query]>([
  ['amount', {}],
  ['-amount', {}],
  ['user', {}],
  ['-user', {}],
  ['-amount', { minAmount: '0.05', maxAmount: '1.00' }],
  ['-user', { minAmount: '0.05', maxAmount: '1.00' }],
  ['amount', { search: 'crowd' }],
  ['-amount', { skip: 'blacklisted' }],
])('sorted by %s with %o, every payment is listed once and in order, forwards and backwards', async (sort, query) => {
  const lines = await everyPage({ sort, ...query });
  const { total } = await list(query);
  expect(lines).toHaveLength(total.count);
  expect(new Set(lines.map(({ cause }) => cause)).size).toBe(lines.length);
  const key = (line: RunLine) => (sort.endsWith('amount') ? paid(line) : line.user.id);
  const inOrder = lines.toSorted((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0));
  expect(lines.map(key)).toEqual((sort.startsWith('-') ? inOrder.toReversed() : inOrder).map(key));
});

test('a search that matches more than a thousand users is refused', async () => {
  await sql`insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
    select 'T-' || n, 'throng.' || n, 'throng-' || n, 'throng-sol-' || n, 'THRONG' || n
    from generate_series(1, 1001) as n`.execute(db.owner);
  await expect(list({ search: 'throng' })).rejects.toThrow('TooManyUsers');
  expect((await list({ search: 'throng.77' })).total.count).toBe(0);
});
