import { poolOf } from 'contract/formulas.ts';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { runsOf, setRunLimit, steeringOf, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { deposit, takeAway } from '#server/core/testing/transfers.ts';
import { hasUnpaidPeriod } from './planning/replan.ts';
import { beforeAll as fromTheStart, everyone } from './store/ranges.ts';

/* A period that is paid in several parts, partly reversed, and paid again. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let ledger: ReturnType<typeof ledgerOf>;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  ledger = ledgerOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await fillTreasury(db.owner, 'GMP', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 15n);
  return () => db[Symbol.asyncDispose]();
});

const now = new Date('2026-03-11T12:00:00Z');
const day = '2026-03-10';

async function pay(kind: 'stake-payout' | 'gmp-distro' | 'referral-check', at = now) {
  const { id } = await runs.create(kind, at);
  await runs.plan(id);
  await runs.start(id);
  return runs.pay(id);
}

/** Splits the only chunk of a plan in two after a user, as in a large plan. */
async function cutAfter(id: string, userId: string) {
  await sql`alter table run_chunk disable trigger user`.execute(db.owner);
  await sql`alter table run disable trigger user`.execute(db.owner);
  await sql`delete from run_chunk where run_id = ${id}`.execute(db.owner);
  for (const [no, after, to] of [
    [1, fromTheStart, userId],
    [2, userId, everyone],
  ] as const) {
    await sql`
      insert into run_chunk (run_id, no, after_user, to_user, digest, lines, skipped, budget, base, bonus, loyalty,
        closing, unranked, withheld, unshared, rounded, largest, completes, returned)
      select ${id}, ${no}, ${after}, ${to}, ${digest}, count(*), count(skip), sum(base + bonus + loyalty), sum(base),
        sum(bonus), sum(loyalty), sum(closing), 0, 0, 0, 0, 0, count(*) filter (where completes),
        coalesce(sum(input) filter (where completes), 0)
      from run_line where run_id = ${id} and user_id > ${after}::uuid and user_id <= ${to}::uuid`.execute(db.owner);
  }
  await sql`alter table run_chunk enable trigger user`.execute(db.owner);
  const { hashOf } = await import('./store/plan-hash.ts');
  const { rows } = await sql<{ digest: string }>`select digest from run_chunk where run_id = ${id} order by no`.execute(
    db.owner,
  );
  const planHash = hashOf(
    await runs.read(id),
    rows.map((row) => row.digest),
  );
  await sql`update run set plan_hash = ${planHash} where id = ${id}`.execute(db.owner);
  await sql`alter table run enable trigger user`.execute(db.owner);
}

/** Adds two users and returns them in the order in which they are paid. */
async function twoUsers() {
  const [one, two] = [await addUser(db.owner), await addUser(db.owner)];
  return one.id < two.id ? ([one, two] as const) : ([two, one] as const);
}

const digest = sql`encode(sha256(convert_to(string_agg(
  concat_ws(' ', user_id, cause_id, part, input, trim_scale(rate_ppm / 100.0), ranked, base, bonus, loyalty, closing, completes,
    coalesce(skip::text, '-')), E'\n' order by user_id, cause_id), 'UTF8')), 'hex')`;

const payFirstChunk = async (id: string) => {
  const hold = db.owner.transaction().execute(async (tx) => {
    await sql`select from run_chunk where run_id = ${id} and no = 2 for update`.execute(tx);
    await runs.pay(id);
  });
  await hold;
};

const setBlacklisted = (id: string, is: boolean) =>
  sql`update platform_user set blacklisted_at = case when ${is} then now() end,
    blacklist_reason = case when ${is} then 'Fraud' end where id = ${id}`.execute(db.owner);

test('reversing the first part of a day keeps what the second part paid and ended, and the day is unpaid again', async () => {
  const [one, two] = await twoUsers();
  await addStake(db.owner, { userId: one.id, units: 1_000_000_000n, placedOn: '2026-03-01' });
  const ending = await addStake(db.owner, { userId: two.id, units: 1_000_000_000n, days: 9, placedOn: '2026-03-01' });
  const first = await runs.create('stake-payout', now);
  await runs.plan(first.id);
  await cutAfter(first.id, one.id);
  await runs.start(first.id);
  await payFirstChunk(first.id);
  await steeringOf(db).steer(first.id, 'cancel');
  expect(await pay('stake-payout')).toMatchObject({ state: 'completed', part: 1, period: day });
  const after = await ledger.totalsOf(two.id);

  const reversal = await runs.reverse(first.id);
  expect(reversal).toMatchObject({ lines: 1n, returned: 0n });
  await runs.start(reversal.id);
  expect(await runs.pay(reversal.id)).toMatchObject({ state: 'completed' });
  // The reversal covers all that the run paid before it was canceled.
  expect(await runs.read(first.id)).toMatchObject({ state: 'cancelled', reversed: 'fully' });
  expect(await ledger.totalsOf(two.id)).toEqual(after);
  expect(await ledger.totalsOf(one.id)).toMatchObject({ stakedEarnedUsd: 0n });
  const { rows } = await sql`select from stake where id = ${ending} and status = 'Completed'`.execute(db.owner);
  expect(rows).toHaveLength(1);
  await ledger.expectSound();

  const repaid = await pay('stake-payout');
  expect(repaid).toMatchObject({ state: 'completed', period: day, part: 2, skipped: 1n });
  expect(await ledger.totalsOf(one.id)).toMatchObject({ stakedEarnedUsd: 500_000n });
  await ledger.expectSound();
});

test('a reversal that was stopped midway leaves the day unpaid: only users whose payments were reversed are paid again', async () => {
  const [one, two] = await twoUsers();
  for (const { id } of [one, two]) {
    await addStake(db.owner, { userId: id, units: 1_000_000_000n, placedOn: '2026-03-01' });
  }
  const first = await pay('stake-payout');
  const paid = await runs.totals();
  const reversal = await runs.reverse(first.id);
  await cutAfter(reversal.id, one.id);
  await runs.start(reversal.id);
  await payFirstChunk(reversal.id);
  await steeringOf(db).steer(reversal.id, 'cancel');
  expect(await ledger.totalsOf(one.id)).toMatchObject({ stakedEarnedUsd: 0n });
  expect(await hasUnpaidPeriod(db.database, first)).toBe(true);
  expect(await runs.read(first.id)).toMatchObject({ state: 'completed', reversed: 'partly' });

  expect(await pay('stake-payout')).toMatchObject({ state: 'completed', period: day, part: 1, skipped: 1n });
  expect(await runs.totals()).toEqual(paid);
  await ledger.expectSound();
});

test('reversing a run does not lock a stake that a later run returned again', async () => {
  const [kept, spent] = [await addUser(db.owner), await addUser(db.owner)];
  const stakes = [];
  for (const { id: userId } of [kept, spent]) {
    stakes.push(await addStake(db.owner, { userId, units: 1_000_000_000n, days: 9, placedOn: '2026-03-01' }));
  }
  const first = await pay('stake-payout');
  expect(first).toMatchObject({ state: 'completed', returned: 2_000_000_000n });
  const spend = (units: bigint) => db.owner.transaction().execute((tx) => takeAway(tx, { userId: spent.id, units }));
  await spend((await ledger.totalsOf(spent.id)).availableUsd);
  const reversal = await runs.reverse(first.id);
  expect(reversal).toMatchObject({ lines: 2n, skips: { spent: 1 }, returned: 1_000_000_000n });
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  const repaid = await pay('stake-payout');
  expect(repaid).toMatchObject({ state: 'completed', part: 1, skips: { paid: 1 }, returned: 1_000_000_000n });
  const before = await ledger.totalsOf(kept.id);

  const secondReversal = await runs.reverse(first.id);
  expect(secondReversal).toMatchObject({ lines: 1n, skips: { spent: 1 }, returned: 0n });
  await runs.start(secondReversal.id);
  expect(await runs.pay(secondReversal.id)).toMatchObject({ state: 'completed' });
  expect(await ledger.totalsOf(kept.id)).toEqual(before);
  const { rows } = await sql`select from stake where id = any(${stakes}) and status = 'Completed'`.execute(db.owner);
  expect(rows).toHaveLength(2);
  await ledger.expectSound();
});

test('loyalty set aside for a stake that has ended since then is not reversed, because its owner has received it', async () => {
  const { id: userId } = await addUser(db.owner);
  await addStake(db.owner, { userId, units: 1_000_000_000n, days: 10, placedOn: '2026-03-01' });
  const early = await pay('stake-payout');
  expect(await pay('stake-payout', new Date('2026-03-12T12:00:00Z'))).toMatchObject({
    state: 'completed',
    returned: 1_000_000_000n,
  });
  const before = await ledger.totalsOf(userId);
  const reversal = await runs.reverse(early.id);
  expect(reversal).toMatchObject({ lines: 1n, skipped: 1n, skips: { ended: 1 } });
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  expect(await ledger.totalsOf(userId)).toEqual(before);
  await ledger.expectSound();
});

test('a partly paid distribution is completed with the rest of its pool, even if the settings changed since then', async () => {
  const amount = '1000.00';
  const schedule = { frequency: 'Daily', time: '00:00', enabled: true, weekday: 1, utcOffset: 0 };
  await runs.save('gmp-distro', { ...schedule, amount, percentage: 100 });
  const users: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { id } = await addUser(db.owner);
    await ledger.posted(deposit({ userId: id, asset: 'SHARE', units: 25n }));
    users.push(id);
  }
  users.sort();
  const [first = '', , , last = ''] = users;
  const { id } = await runs.create('gmp-distro', now);
  await runs.plan(id);
  await cutAfter(id, first);
  await runs.start(id);
  await payFirstChunk(id);
  await steeringOf(db).steer(id, 'cancel');
  await setBlacklisted(last, true);
  await runs.save('gmp-distro', { ...schedule, amount: '100.00', percentage: 100 });
  const rest = await pay('gmp-distro');
  expect(rest).toMatchObject({ state: 'completed', part: 1, pays: 750_000_000n, keeps: 0n });
  const totals = await runs.totals();
  const paid = totals.reduce((sum, { gmpEarnings }) => sum + gmpEarnings, 0n);
  expect(paid).toBe(poolOf(1_000_000_000n, 10_000));
  expect(await ledger.totalsOf(first)).toMatchObject({ gmpEarnings: 250_000_000n });
  await ledger.expectSound();
});

test('a weekly distribution that an administrator paid is not paid again on another day of that week', async () => {
  const schedule = { amount: '100.00', frequency: 'Weekly', time: '00:00', enabled: true, weekday: 5, utcOffset: 0 };
  await runs.save('gmp-distro', { ...schedule, percentage: 100 });
  const { id } = await addUser(db.owner);
  await ledger.posted(deposit({ userId: id, asset: 'SHARE', units: 1n }));
  expect(await pay('gmp-distro')).toMatchObject({ period: '2026-W11', day: '2026-03-09' });
  await expect(runs.create('gmp-distro', new Date('2026-03-13T00:00:00Z'))).rejects.toThrow('NothingDue');
  await runs.save('gmp-distro', { ...schedule, frequency: 'Monthly', percentage: 100 });
  expect(await pay('gmp-distro')).toMatchObject({ period: '2026-03', day: '2026-03-01' });
});

test('a week is paid in full to all users, even if its Monday was paid as a day before the schedule changed', async () => {
  const schedule = { time: '00:00', enabled: true, weekday: 5, utcOffset: 0, percentage: 100, amount: '100.00' };
  const everyone = [await addUser(db.owner), await addUser(db.owner)];
  for (const { id } of everyone) await ledger.posted(deposit({ userId: id, asset: 'SHARE', units: 1n }));
  const earned = async () => (await runs.totals()).map(({ gmpEarnings }) => gmpEarnings);
  const monday = new Date('2026-03-09T12:00:00Z');
  await runs.save('gmp-distro', { ...schedule, frequency: 'Weekly' });
  const { id: preview } = await runs.create('gmp-distro', monday);
  await runs.plan(preview);
  await sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now() where id = ${preview}`.execute(
    db.owner,
  );
  await runs.save('gmp-distro', { ...schedule, frequency: 'Daily' });
  expect(await pay('gmp-distro', monday)).toMatchObject({ period: '2026-03-09', day: '2026-03-09' });
  expect(await earned()).toEqual([50_000_000n, 50_000_000n]);

  await runs.save('gmp-distro', { ...schedule, frequency: 'Weekly' });
  const week = await pay('gmp-distro');
  expect(week).toMatchObject({ period: '2026-W11', day: '2026-03-09', pays: 100_000_000n, skipped: 0n });
  expect(await earned()).toEqual([100_000_000n, 100_000_000n]);
  const reversal = await runs.reverse(week.id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  expect(await earned()).toEqual([50_000_000n, 50_000_000n]);
  expect(await pay('gmp-distro')).toMatchObject({ period: '2026-W11', pays: 100_000_000n, skipped: 0n });
  await ledger.expectSound();
});

test('a referral is not paid for a user who was blacklisted after planning', async () => {
  await runs.save('referral-check', { period: 30, reward: 5 });
  const sponsor = await addUser(db.owner, { createdAt: new Date('2026-01-01') });
  const referred = await addUser(db.owner, {
    sponsorId: sponsor.id,
    createdAt: new Date('2026-03-05'),
    username: 'mole',
  });
  await addStake(db.owner, { userId: referred.id, units: 100_000_000n, placedOn: '2026-03-06' });
  const { id } = await runs.create('referral-check', now);
  await runs.plan(id);
  await setBlacklisted(referred.id, true);
  expect(await runs.start(id)).toBeUndefined();
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  expect(await ledger.totalsOf(sponsor.id)).toMatchObject({ referralBonusUsd: 0n });
  await ledger.expectSound();
});
