import { stakeDay } from 'contract/formulas.ts';
import { Rank, RankThresholds, refuseMove } from 'contract/ranks.ts';
import { writeAmount } from 'contract/core/money.ts';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { addUser } from '#server/core/testing/user.ts';
import { propertyRuns } from '#server/core/testing/property-runs.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { addStake } from '#server/core/testing/stakes.ts';
import { listRankMoves, readRankMoveFigures } from './rank-moves.ts';

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);

// Few distinct values, so that many users are exactly at a threshold or one unit below it.
const volume = fc.constantFrom(0n, 1n, 999_999n, 1_000_000n, 1_000_001n, 10n ** 15n);
const referrals = fc.integer({ min: 1, max: 4 });

const user = fc.record({
  rank: fc.constantFrom('none', 'none', ...Rank.options),
  ineligible: fc.constantFrom(null, null, null, 'blacklisted', 'deleted'),
  team: fc.option(fc.record({ referralCount: fc.integer({ min: 0, max: 5 }), volumeUsd: volume })),
  stakes: fc.array(
    fc.record({
      units: fc.bigInt({ min: 1n, max: 10n ** 15n }),
      rate: fc.constantFrom(0, 1, 15, 9_999),
      // Placed today, ends today, should have ended yesterday.
      age: fc.constantFrom(0, 30, 31),
      completed: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
});

const sorted = <V extends number | bigint>(values: readonly V[]) =>
  values.toSorted((one, other) => (one < other ? -1 : 1));

const thresholds = fc
  .tuple(fc.tuple(referrals, referrals, referrals).map(sorted), fc.tuple(volume, volume, volume).map(sorted))
  .map(([counts, volumes]) =>
    Object.fromEntries(
      Rank.options.map((rank, step) => [
        rank,
        { referrals: counts[step], volume: writeAmount(volumes[step] ?? 0n, 'USD') },
      ]),
    ),
  );

const world = fc.record({
  users: fc.array(user, { maxLength: 9 }),
  thresholds,
  bonusReward: fc.integer({ min: 0, max: 10_000 }),
  rankBonus: fc.record({ rank: fc.constantFrom(...Rank.options), units: fc.bigInt({ min: 1n, max: 10n ** 12n }) }),
});
type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

async function build({ users, bonusReward, rankBonus, ...chosen }: World) {
  const db = await testDatabase();
  const { save } = runsOf(db);
  await save('rank-promotion', chosen.thresholds);
  await save('stake-payout', { enabled: false, baseReward: 0, bonusReward: bonusReward / 100, loyaltyReward: 0 });
  await save('rank-bonus', { rank: rankBonus.rank, bonusAmount: writeAmount(rankBonus.units, 'USD') });
  const ids = [];
  for (const { rank, ineligible, team, stakes } of users) {
    const { id } = await addUser(db.owner, {
      rank,
      ...(ineligible === 'blacklisted' && { blacklistedAt: new Date(), blacklistReason: 'Fraud' }),
      ...(ineligible === 'deleted' && { retiredAt: new Date() }),
    });
    ids.push(id);
    if (team) {
      await sql`insert into team (user_id, referral_count, volume_usd)
        values (${id}, ${team.referralCount}, ${team.volumeUsd})`.execute(db.owner);
    }
    for (const { units, rate, age, completed } of stakes) {
      const stake = await addStake(db.owner, { userId: id, units, rate, placedOn: daysAgo(age) });
      if (!completed) continue;
      await sql`update stake set status = 'Completed', completed_at = now() where id = ${stake}`.execute(db.owner);
    }
  }
  return { db, ids };
}

/** The expected move of one user, computed without SQL. */
function expectedMove(one: World['users'][number], { thresholds: chosen, bonusReward }: World) {
  const { referralCount = 0, volumeUsd = 0n } = one.team ?? {};
  const state = {
    rank: one.rank,
    referralCount,
    totalTeamVolumeUSD: volumeUsd,
    isBlacklisted: one.ineligible === 'blacklisted',
    isDeleted: one.ineligible === 'deleted',
  };
  const to = Rank.options.find((rank) => !refuseMove(RankThresholds.parse(chosen), state, rank));
  if (!to) return undefined;
  const shares = { baseReward: 0, bonusReward, loyaltyReward: 0 };
  const bonuses = one.stakes
    .filter(({ completed, age }) => !completed && age <= 30)
    .map(({ units: amount, rate }) => stakeDay({ amount, rate, ranked: true, shares }).bonus);
  const bonusPerDay = one.rank === 'none' ? bonuses.reduce((sum, bonus) => sum + bonus, 0n) : 0n;
  return { from: one.rank, to, referralCount, totalTeamVolumeUSD: volumeUsd, bonusPerDay };
}

type Move = NonNullable<ReturnType<typeof expectedMove>> & { id: string };

const inListOrder = (one: Move, other: Move) => other.referralCount - one.referralCount || (one.id < other.id ? 1 : -1);

const figuresOf = ({ id, from, to, referralCount, totalTeamVolumeUSD, bonusPerDay }: Move): Move => ({
  id,
  from,
  to,
  referralCount,
  totalTeamVolumeUSD,
  bonusPerDay,
});

async function wholeList(db: Awaited<ReturnType<typeof testDatabase>>) {
  const pages = [await listRankMoves(db.database, { limit: 2 })];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor) {
    pages.push(await listRankMoves(db.database, { limit: 2, cursor }));
  }
  return { moves: pages.flatMap(({ moves }) => moves), total: pages.at(-1)?.total };
}

test('for any data, the moves follow the rule for each user, and the cost is the sum of the formulas', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (made) => {
      const { db, ids } = await build(made);
      const expected = made.users
        .flatMap((one, index) => ({ id: ids[index] ?? '', ...expectedMove(one, made) }))
        .filter((move): move is Move => move.to !== undefined)
        .toSorted(inListOrder);

      const { moves, total } = await wholeList(db);
      expect(moves.map(figuresOf)).toEqual(expected);
      expect(total).toEqual({ count: expected.length, capped: false });

      const { rank, units } = made.rankBonus;
      const coming = expected.filter(({ to }) => to === rank).length;
      const counted = Map.groupBy(expected, ({ from, to }) => `${from} ${to}`);
      const figures = await readRankMoveFigures(db.database);
      expect(figures).toMatchObject({
        version: 2,
        total: { count: expected.length, capped: false },
        bonusPerDay: expected.reduce((sum, { bonusPerDay }) => sum + bonusPerDay, 0n),
        rankBonus: { rank, bonusAmount: units, perWeek: units * BigInt(coming) },
      });
      expect(new Map(figures.steps.map(({ from, to, count }) => [`${from} ${to}`, count]))).toEqual(
        new Map([...counted].map(([step, users]) => [step, users.length])),
      );
      await db[Symbol.asyncDispose]();
    }),
    propertyRuns({ gate: 12, thorough: 40 }),
  );
}, 300_000);
