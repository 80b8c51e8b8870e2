import { referralBonus } from 'contract/formulas.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';

/* The referral bonus and the rank bonus. */
const now = new Date('2026-03-11T12:00:00Z');
const joined = new Date('2026-03-05T12:00:00Z');
const before = new Date('2026-01-01');

async function open() {
  const db = await testDatabase();
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 18n);
  await setRunLimit(db.owner, 10n ** 18n);
  return { db, runs: runsOf(db), ledger: ledgerOf(db) };
}

const ineligible = fc.constantFrom(null, null, null, 'blacklisted', 'deleted');
const marks = (ineligible: string | null) => ({
  ...(ineligible === 'blacklisted' && { blacklistedAt: before, blacklistReason: 'Fraud' }),
  ...(ineligible === 'deleted' && { retiredAt: before }),
});

const rank = fc.constantFrom('none', 'Silver', 'Gold', 'Platinum');
const stake = fc.record({ units: fc.bigInt({ min: 1n, max: 10n ** 12n }), placedOn: fc.integer({ min: 5, max: 10 }) });
const user = fc.record({
  /** Days between joining and the check. The check covers four days: its own and the three before it. */
  age: fc.constantFrom(0, 1, 3, 4, 30),
  ineligible,
  rank,
  stakes: fc.uniqueArray(stake, { maxLength: 2, selector: ({ placedOn }) => placedOn }),
});
const sponsor = fc.record({ ineligible, rank, isOwnSponsor: fc.boolean(), referred: fc.array(user, { maxLength: 4 }) });
const world = fc.record({
  sponsors: fc.array(sponsor, { minLength: 1, maxLength: 3 }),
  reward: fc.nat(10_000),
  paidRank: fc.constantFrom('Silver', 'Gold', 'Platinum'),
  bonus: fc.integer({ min: 1, max: 10 ** 9 }),
});

const dayMs = 86_400_000;
const ago = (days: number) => new Date(now.getTime() - days * dayMs);

type World = typeof world extends fc.Arbitrary<infer W> ? W : never;
type Opened = Awaited<ReturnType<typeof open>>;
type TestUser = { id: string; ineligible: string | null; rank: string };
type Referral = TestUser & { sponsor: TestUser; age: number; first: bigint | null; placedOn: number | null };

async function addUsers({ db }: Opened, { sponsors }: World) {
  const everyone: TestUser[] = [];
  const referred: Referral[] = [];
  for (const { isOwnSponsor, referred: users, ...chosen } of sponsors) {
    const { id } = await addUser(db.owner, { rank: chosen.rank, createdAt: ago(1), ...marks(chosen.ineligible) });
    if (isOwnSponsor) await sql`update platform_user set sponsor_id = id where id = ${id}`.execute(db.owner);
    everyone.push({ id, ...chosen });
    for (const { stakes, age, ...rest } of users) {
      const joiner = { rank: rest.rank, sponsorId: id, createdAt: ago(age), ...marks(rest.ineligible) };
      const { id: joinedId } = await addUser(db.owner, joiner);
      for (const { units, placedOn } of stakes) {
        const day = `2026-03-${String(placedOn).padStart(2, '0')}`;
        await addStake(db.owner, { userId: joinedId, units, placedOn: day });
      }
      const [first] = stakes.toSorted((one, other) => one.placedOn - other.placedOn);
      everyone.push({ id: joinedId, ...rest });
      referred.push({
        id: joinedId,
        ...rest,
        age,
        sponsor: { id, ...chosen },
        first: first?.units ?? null,
        placedOn: first?.placedOn ?? null,
      });
    }
  }
  return { everyone, referred };
}

const plainLine = { ratePpm: 0, bonus: 0n, loyalty: 0n, closing: 0n, completes: false };

/** The expected line of a referral, by the plain rule: the first stake is recent, or the user joined recently. */
function expectedReferralLines(
  { id, ineligible: reason, sponsor: { id: userId, ineligible: sponsorReason }, age, first, placedOn }: Referral,
  reward: number,
) {
  if (placedOn === null ? age > 3 : placedOn < 8) return [];
  const units = referralBonus(first ?? 0n, reward);
  const skip = () => {
    if (reason === 'deleted' || sponsorReason === 'deleted') return 'deleted';
    if (reason === 'blacklisted' || sponsorReason === 'blacklisted') return 'blacklisted';
    if (first === null) return 'not-staked';
    return units === 0n ? 'nothing' : null;
  };
  const base = skip() === null ? units : 0n;
  return [{ ...plainLine, userId, causeId: id, part: 0, input: first ?? 0n, ranked: false, base, skip: skip() }];
}

function expectedBonusLines({ id, ineligible: reason, rank: held }: TestUser, { paidRank, bonus }: World) {
  if (held !== paidRank || reason === 'deleted') return [];
  const part = 1 + ['Silver', 'Gold', 'Platinum'].indexOf(held);
  const units = BigInt(bonus);
  const line = { ...plainLine, userId: id, causeId: id, part, input: units, ranked: true };
  return [{ ...line, base: reason ? 0n : units, skip: reason }];
}

type Line = { userId: string; causeId: string; base: bigint; skip: string | null };
const byKey = (one: Line, other: Line) =>
  `${one.userId} ${one.causeId}` < `${other.userId} ${other.causeId}` ? -1 : 1;

/** Plans, pays and reverses a run, and checks every line and the totals of all users. */
async function planPayAndReverse({ runs, ledger }: Opened, kind: 'referral-check' | 'rank-bonus', expected: Line[]) {
  const totals = await runs.totals();
  const { id } = await runs.create(kind, now);
  const planned = await runs.plan(id);
  const lines = (await runs.linesOf(id)).map(({ runId: _runId, day: _day, chunk: _chunk, ...line }) => line);
  expect(lines).toEqual(expected.toSorted(byKey));
  expect(planned.pays).toBe(expected.reduce((sum, { base }) => sum + base, 0n));
  expect(planned.budget).toBe(planned.pays + planned.keeps);
  expect(await runs.start(id)).toBeUndefined();
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  await ledger.expectSound();
  if (planned.pays === 0n) return;
  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  expect(await runs.totals()).toEqual(totals);
  await ledger.expectSound();
}

test('property: referral and rank bonuses match the plain rule line by line, and a reversal restores all totals', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (chosen) => {
      const opened = await open();
      const { everyone, referred } = await addUsers(opened, chosen);
      await opened.runs.save('referral-check', { period: 3, reward: chosen.reward / 100 });
      const bonusAmount = (chosen.bonus / 10 ** 6).toFixed(6);
      await opened.runs.save('rank-bonus', { rank: chosen.paidRank, bonusAmount });
      const referrals = referred.flatMap((one) => expectedReferralLines(one, chosen.reward));
      await planPayAndReverse(opened, 'referral-check', referrals);
      const bonuses = everyone.flatMap((one) => expectedBonusLines(one, chosen));
      await planPayAndReverse(opened, 'rank-bonus', bonuses);
      await opened.db[Symbol.asyncDispose]();
    }),
    propertyRuns({ gate: 4, thorough: 15 }),
  );
}, 300_000);
test('a referral is paid only once: the sponsor gets a share of the first stake of an eligible user', async () => {
  const { db, runs, ledger } = await open();
  await runs.save('referral-check', { period: 30, reward: 5 });
  const sponsor = await addUser(db.owner, { createdAt: before });
  const referred = async (changes: Parameters<typeof addUser>[1] = {}) =>
    (await addUser(db.owner, { sponsorId: sponsor.id, createdAt: joined, ...changes })).id;
  const staked = await referred();
  await addStake(db.owner, { userId: staked, units: 333_333_333n, placedOn: '2026-03-06' });
  await addStake(db.owner, { userId: staked, units: 900_000_000n, placedOn: '2026-03-08' });
  const idle = await referred();
  const ineligible = await referred({ blacklistedAt: before, blacklistReason: 'Fraud' });
  await addStake(db.owner, { userId: ineligible, units: 100_000_000n, placedOn: '2026-03-06' });
  const old = await referred({ createdAt: before });
  await addStake(db.owner, { userId: old, units: 100_000_000n, placedOn: '2026-03-06' });

  const { id } = await runs.create('referral-check', now);
  await runs.plan(id);
  const bonus = referralBonus(333_333_333n, 500);
  const line = (causeId: string, rest: object): unknown =>
    expect.objectContaining({ userId: sponsor.id, causeId, ...rest });
  const lines = await runs.linesOf(id);
  expect(lines).toHaveLength(4);
  expect(lines).toEqual(
    expect.arrayContaining([
      line(staked, { base: bonus, skip: null }),
      line(idle, { base: 0n, skip: 'not-staked' }),
      line(ineligible, { base: 0n, skip: 'blacklisted' }),
      line(old, { base: 5_000_000n, skip: null }),
    ]),
  );
  await runs.start(id);
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  expect(await ledger.totalsOf(sponsor.id)).toMatchObject({ referralBonusUsd: bonus + 5_000_000n });

  await addStake(db.owner, { userId: idle, units: 20_000_000n, placedOn: '2026-03-11' });
  const next = await runs.create('referral-check', new Date(now.getTime() + 60_000));
  await runs.plan(next.id);
  expect(await runs.linesOf(next.id)).toEqual(
    expect.arrayContaining([line(staked, { base: 0n, skip: 'paid' }), line(idle, { base: 1_000_000n, skip: null })]),
  );
  await runs.start(next.id);
  await runs.pay(next.id);
  expect(await ledger.totalsOf(sponsor.id)).toMatchObject({ referralBonusUsd: bonus + 6_000_000n });
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});

test('a rank bonus is paid once a week; another rank in the same week is a separate payment', async () => {
  const { db, runs, ledger } = await open();
  await runs.save('rank-bonus', { rank: 'Silver', bonusAmount: '10.00' });
  const silver = await addUser(db.owner, { rank: 'Silver' });
  const gold = await addUser(db.owner, { rank: 'Gold' });
  const ineligible = await addUser(db.owner, { rank: 'Silver', blacklistedAt: before, blacklistReason: 'Fraud' });
  const pay = async () => {
    const { id } = await runs.create('rank-bonus', now);
    await runs.plan(id);
    await runs.start(id);
    return runs.pay(id);
  };
  expect(await pay()).toMatchObject({ state: 'completed', period: '2026-W11 Silver', day: '2026-03-09', lines: 2n });
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 10_000_000n });
  expect(await ledger.totalsOf(ineligible.id)).toMatchObject({ weeklyRankBonusUsd: 0n });
  await expect(pay()).rejects.toThrow('NothingDue');
  await db.owner
    .transaction()
    .execute((tx) => tx.updateTable('platformUser').set({ rank: 'Gold' }).where('id', '=', silver.id).execute());
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '25.00' });
  expect(await pay()).toMatchObject({ state: 'completed', period: '2026-W11 Gold', pays: 50_000_000n });
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 35_000_000n });
  expect(await ledger.totalsOf(gold.id)).toMatchObject({ weeklyRankBonusUsd: 25_000_000n });

  // Reversed and paid again: a user who got the bonus of another rank this week is not skipped.
  const [last] = await db.owner.selectFrom('run').select('id').orderBy('createdAt', 'desc').limit(1).execute();
  const reversal = await runs.reverse(last?.id ?? '');
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 10_000_000n });
  expect(await pay()).toMatchObject({ state: 'completed', part: 2, pays: 50_000_000n, skipped: 0n });
  expect(await ledger.totalsOf(silver.id)).toMatchObject({ weeklyRankBonusUsd: 35_000_000n });
  await ledger.expectSound();
  await db[Symbol.asyncDispose]();
});
