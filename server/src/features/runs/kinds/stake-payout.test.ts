import { stakeDay } from 'contract/formulas.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { runsOf, setRunLimit, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import type { StakePayout } from 'contract/jobs-stake-payout.ts';

const dayMs = 86_400_000;
const first = '2026-03-10';
const dayAfter = (day: string, days: number) => new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10);

const user = fc.record({
  rank: fc.constantFrom('none', 'Silver', 'Gold', 'Platinum'),
  ineligible: fc.constantFrom(null, null, null, null, 'blacklisted', 'deleted'),
  stakes: fc.array(
    fc.record({
      // From less than one unit a day to unrealistically large amounts.
      units: fc.bigInt({ min: 1n, max: 10n ** 15n }),
      days: fc.constantFrom(2, 3, 30),
      rate: fc.constantFrom(0, 1, 1_000, 1_234, 999_999, 1_000_000),
      age: fc.integer({ min: 0, max: 4 }),
    }),
    { maxLength: 3 },
  ),
});
const shares = fc
  .tuple(fc.nat(10_000), fc.nat(10_000), fc.nat(10_000))
  .filter(([base, bonus, loyalty]) => base + bonus + loyalty <= 10_000)
  .map(([baseReward, bonusReward, loyaltyReward]) => ({ baseReward, bonusReward, loyaltyReward }));

type Shares = Omit<StakePayout, 'enabled'>;
type World = { users: (typeof user extends fc.Arbitrary<infer P> ? P : never)[]; shares: Shares };

const percent = ({ baseReward, bonusReward, loyaltyReward }: Shares) => ({
  enabled: true,
  baseReward: baseReward / 100,
  bonusReward: bonusReward / 100,
  loyaltyReward: loyaltyReward / 100,
});

async function build({ users, shares: chosen }: World) {
  const db = await testDatabase();
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 18n);
  await setRunLimit(db.owner, 10n ** 18n);
  const runs = runsOf(db);
  await runs.save('stake-payout', percent(chosen));
  const stakes = [];
  for (const { rank, ineligible, stakes: placed } of users) {
    const { id: userId } = await addUser(db.owner, {
      rank,
      ...(ineligible === 'blacklisted' && { blacklistedAt: new Date('2026-01-01'), blacklistReason: 'Fraud' }),
      ...(ineligible === 'deleted' && { retiredAt: new Date('2026-01-01') }),
    });
    for (const { units, days, rate, age } of placed) {
      const placedOn = dayAfter(first, -age);
      const id = await addStake(db.owner, { userId, units, days, rate, placedOn });
      stakes.push({
        id,
        userId,
        units,
        rate,
        ineligible,
        ranked: rank !== 'none',
        placedOn,
        ends: dayAfter(placedOn, days),
      });
    }
  }
  return { db, runs, stakes, ledger: ledgerOf(db) };
}

type Stake = Awaited<ReturnType<typeof build>>['stakes'][number];
type Past = { setAside: Map<string, bigint>; over: Set<string> };

/** The expected line of a stake on a day, by the plain rule; undefined if the stake has no line. */
function expectedLine(stake: Stake, day: string, { past, shares: chosen }: { past: Past; shares: Shares }) {
  const { id, userId, units: amount, rate, ranked, ineligible } = stake;
  if (stake.placedOn >= day || past.over.has(id)) return undefined;
  const nothing = { base: 0n, bonus: 0n, loyalty: 0n, closing: 0n, completes: false };
  const line = { userId, causeId: id, part: 0, input: amount, ratePpm: rate, ranked, ...nothing, skip: null };
  if (ineligible) return { ...line, skip: ineligible };
  const late = stake.ends < day;
  const { base, bonus, loyalty } = late ? nothing : stakeDay({ amount, rate, ranked, shares: chosen });
  const completes = stake.ends <= day;
  if (base + bonus + loyalty === 0n && !completes) return { ...line, skip: 'nothing' };
  const closing = completes ? loyalty + (past.setAside.get(id) ?? 0n) : 0n;
  return { ...line, base, bonus, loyalty, closing, completes };
}

type Runs = ReturnType<typeof runsOf>;

/** Reverses a day, reads the totals of all users, and pays the day again as another part. */
async function reverseAndRepay(runs: Runs, { id, now }: { id: string; now: Date }) {
  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
  const before = await runs.totals();
  const run = await runs.plan((await runs.create('stake-payout', now)).id);
  await runs.start(run.id);
  await runs.pay(run.id);
  return { before, run };
}

const byKey = (one: { userId: string; causeId: string }, other: { userId: string; causeId: string }) =>
  `${one.userId} ${one.causeId}` < `${other.userId} ${other.causeId}` ? -1 : 1;

test('property: each day’s plan matches the plain rule, adds up, is paid to the unit and can be reversed completely', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ users: fc.array(user, { minLength: 1, maxLength: 5 }), shares }), async (world) => {
      const { db, runs, stakes, ledger } = await build(world);
      const past: Past = { setAside: new Map(), over: new Set() };
      await sql`insert into run (kind, period, day, part, asset, settings, settings_version, as_of)
        values ('stake-payout', ${first}, ${first}::date, 0, 'USD', '{}', 1, now())`.execute(db.owner);
      await sql`update run set state = 'cancelled', why = ${testReason}, ended_at = now()`.execute(db.owner);
      for (let days = 0; days < 4; days += 1) {
        const day = dayAfter(first, days);
        const before = await runs.totals();
        const now = new Date(Date.parse(day) + dayMs);
        const { id } = await runs.create('stake-payout', now);
        const planned = await runs.plan(id);
        expect(planned).toMatchObject({ state: 'planned', period: day });
        const expected = stakes.flatMap((stake) => expectedLine(stake, day, { past, shares: world.shares }) ?? []);
        const lines = (await runs.linesOf(id)).map(({ runId: _runId, day: _day, chunk: _chunk, ...line }) => line);
        expect(lines.toSorted(byKey)).toEqual(expected.toSorted(byKey));
        expect(planned.budget).toBe(planned.pays + planned.setsAside + planned.keeps);

        expect(await runs.start(id)).toBeUndefined();
        expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
        await ledger.expectSound();

        const repaid =
          days === 2 && expected.some(({ skip }) => skip === null)
            ? await reverseAndRepay(runs, { id, now })
            : undefined;
        expect(repaid?.before ?? before).toEqual(before);
        const figures = { period: day, pays: planned.pays, releases: planned.releases };
        expect(repaid?.run ?? planned).toMatchObject({ ...figures, part: repaid ? 1 : 0 });
        await ledger.expectSound();
        for (const { causeId, loyalty, completes } of expected) {
          past.setAside.set(causeId, (past.setAside.get(causeId) ?? 0n) + loyalty);
          if (completes) past.over.add(causeId);
        }
      }
      await db[Symbol.asyncDispose]();
    }),
    propertyRuns({ gate: 3, thorough: 15 }),
  );
}, 300_000);
