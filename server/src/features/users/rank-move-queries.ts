import { countedAtMost } from 'contract/core/paging.ts';
import { checkedAtMost, type Rank, type RankMove, type RankThresholds } from 'contract/ranks.ts';
import { sql } from 'kysely';
import { runQuery, type Db, type Tx } from '#server/core/db/db.ts';
import { listPage } from '#server/core/db/list.ts';
import type { StakePayout } from 'contract/jobs-stake-payout.ts';

type Job = 'rank-promotion' | 'stake-payout' | 'rank-bonus';

/** Returns the version that applies now. */
export async function selectSettings(db: Db, job: Job) {
  const [saved] = await runQuery<{ settings: unknown; version: number }>(
    db,
    sql`select settings, version from settings_in_effect(${job}, clock_timestamp())`,
  );
  if (!saved) throw new Error(`The job ${job} has no settings.`);
  return saved;
}

const meets = (thresholds: RankThresholds, rank: Rank) =>
  sql<boolean>`(referral_count >= ${thresholds[rank].referrals} and volume_usd >= ${thresholds[rank].volume})`;

const qualified = (thresholds: RankThresholds) => sql`from team where ${meets(thresholds, 'Silver')}`;

/**
 * The users who reach a rank, with the rank they hold, which is looked up for each user in the small index of ranked
 * users: a join would be planned by their share, which changes with every promotion before the statistics do.
 */
const candidates = (thresholds: RankThresholds) => sql`(
  select id, referral_count, volume_usd,
    case when ${meets(thresholds, 'Platinum')} then 'Platinum' when ${meets(thresholds, 'Gold')} then 'Gold' else 'Silver'
    end::user_rank as reached,
    coalesce((
      select platform_user.rank from platform_user where platform_user.id = reaching.id and platform_user.rank <> 'none'
    ), 'none') as held
  from (
    select user_id as id, referral_count, volume_usd ${qualified(thresholds)}
    order by referral_count desc, user_id desc limit ${sql.lit(checkedAtMost)}
  ) as reaching
  order by referral_count desc, id desc offset 0
)`;

/** The rule of `refuseMove`. The user row is read only for those who reach a higher rank. */
const moves = sql<boolean>`case when item.reached > item.held then (
  select platform_user.retired_at is null and platform_user.blacklisted_at is null from platform_user
  where platform_user.id = item.id
) else false end`;

/** The bonus share of a day, calculated like a payout in `runs/kinds/stake-payout.ts`. */
const bonusOf = ({ bonusReward }: StakePayout) => sql`
  left join lateral (
    select sum(share_of(stake.amount_usd, stake.daily_rate_ppm::bigint * ${bonusReward}))::bigint as units
    from stake
    where item.held = 'none' and stake.user_id = item.id and stake.status = 'Active' and stake.ends_on >= current_date
  ) as bonus on true`;

type Rules = { thresholds: RankThresholds; payout: StakePayout };

type Query = Rules & { cursor: string | undefined; limit: number };
type Read = Omit<RankMove, 'referralCount'> & { referralCount: bigint };

export async function selectMoves(db: Db, { thresholds, payout, cursor, limit }: Query) {
  const { rows, ...page } = await listPage<Read>(db, {
    rows: candidates(thresholds),
    columns: sql`
      platform_user.user_id as "userId", platform_user.username, item.held as "from", item.reached as "to",
      item.referral_count as "referralCount", item.volume_usd as "totalTeamVolumeUSD",
      coalesce(bonus.units, 0) as "bonusPerDay"`,
    joins: sql`join platform_user on platform_user.id = item.id ${bonusOf(payout)}`,
    order: { sort: '-referralCount', column: 'referral_count', type: 'bigint', descending: true },
    where: [],
    searchFilter: { scan: moves },
    // There is no counter of moves: they are counted by the scan, up to the limit.
    countAll: async () => 0,
    cursor,
    limit,
  });
  return {
    moves: rows.map(({ referralCount, ...move }) => ({ ...move, referralCount: Number(referralCount) })),
    ...page,
  };
}

type Step = { from: RankMove['from']; to: Rank; count: bigint; bonusPerDay: bigint };

/** Counts the first moves of the list by step. One row past the limit tells whether there are more. */
export async function selectSteps(db: Db, { thresholds, payout }: Rules) {
  const { rows: steps } = await sql<Step & { found: bigint }>`
    with mover as materialized (
      select item.* from ${candidates(thresholds)} as item where ${moves}
      order by item.referral_count desc, item.id desc limit ${sql.lit(countedAtMost + 1)}
    )
    select item.held as "from", item.reached as "to", count(*) as count,
      coalesce(sum(bonus.units), 0)::bigint as "bonusPerDay", (select count(*) from mover) as found
    from (select * from mover order by referral_count desc, id desc limit ${sql.lit(countedAtMost)}) as item
    ${bonusOf(payout)}
    group by item.held, item.reached
    order by item.held, item.reached`.execute(db);
  const found = steps[0]?.found ?? 0n;
  return { steps, capped: found > countedAtMost || (await hasMoreCandidates(db, thresholds)) };
}

async function hasMoreCandidates(db: Db, thresholds: RankThresholds) {
  const { rows } = await sql`select user_id ${qualified(thresholds)} offset ${checkedAtMost} limit 1`.execute(db);
  return rows.length > 0;
}

/** Locks the users in the order of their ids, so that concurrent promotions of the same users cannot deadlock. */
export async function lockMovers(tx: Tx, ids: readonly string[]) {
  const users = await tx
    .selectFrom('platformUser')
    .leftJoin('team', 'team.userId', 'platformUser.id')
    .select([
      'platformUser.id',
      'platformUser.userId',
      'platformUser.username',
      'platformUser.rank',
      'platformUser.blacklistedAt',
      'platformUser.retiredAt',
    ])
    .select(['team.referralCount', 'team.volumeUsd'])
    .where('platformUser.id', 'in', ids)
    .orderBy('platformUser.id')
    .forNoKeyUpdate('platformUser')
    .execute();
  return users.map(({ id, userId, username, rank, ...user }) => ({
    id,
    userId,
    username,
    rank,
    referralCount: Number(user.referralCount ?? 0n),
    totalTeamVolumeUSD: user.volumeUsd ?? 0n,
    isBlacklisted: user.blacklistedAt !== null,
    isDeleted: user.retiredAt !== null,
  }));
}

export type Mover = Awaited<ReturnType<typeof lockMovers>>[number];
