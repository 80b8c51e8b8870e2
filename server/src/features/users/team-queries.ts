import type { Member } from 'contract/users.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import { listPage } from '#server/core/db/list.ts';

/** A member as PostgreSQL returns it, with counts as bigint. */
type Read = Omit<Member, 'referralCount' | 'totalNetwork'> & { referralCount: bigint; totalNetwork: bigint };

const memberOf = ({ referralCount, totalNetwork, ...member }: Read): Member => ({
  ...member,
  referralCount: Number(referralCount),
  totalNetwork: Number(totalNetwork),
});

const columns = sql`
  item.user_id as "userId", item.username, item.rank, item.created_at as "createdAt",
  item.blacklisted_at is not null as "isBlacklisted", item.retired_at is not null as "isDeleted",
  coalesce(team.referral_count, 0) as "referralCount", coalesce(team.total_network, 0) as "totalNetwork",
  coalesce(team.volume_sol, 0) as "totalTeamVolumeSOL", coalesce(team.volume_usd, 0) as "totalTeamVolumeUSD"`;
const joins = sql`left join team on team.user_id = item.id`;

/** Returns undefined if the user is unknown. Includes deleted users, because their team still exists. */
export async function selectReferralCount(db: Db, id: string) {
  const found = await db
    .selectFrom('platformUser')
    .leftJoin('team', 'team.userId', 'platformUser.id')
    .select('team.referralCount')
    .where('platformUser.id', '=', id)
    .executeTakeFirst();
  return found && Number(found.referralCount ?? 0n);
}

type Query = { id: string; referralCount: number; cursor: string | undefined; limit: number };

export async function selectTeam(db: Db, { id, referralCount, cursor, limit }: Query) {
  const { rows, ...page } = await listPage<Read>(db, {
    rows: sql`platform_user`,
    columns,
    joins,
    order: { sort: 'createdAt', column: 'created_at', type: 'timestamptz', descending: false },
    where: [sql<boolean>`item.sponsor_id = ${id}`],
    countAll: async () => referralCount,
    cursor,
    limit,
  });
  return { team: rows.map(memberOf), ...page };
}

/** Follows the sponsors by primary key, nearest first. The limit ends a circle as well as a long chain. */
export async function selectSponsors(db: Db, id: string, most: number) {
  const { rows } = await sql<Read>`
    with recursive chain (id, level) as (
      select sponsor_id, 1 from platform_user where id = ${id}
      union all
      select (select sponsor_id from platform_user where id = chain.id), level + 1
      from chain where chain.id is not null and level < ${most}
    )
    select item.id, ${columns}
    from chain join platform_user as item on item.id = chain.id ${joins}
    order by chain.level`.execute(db);
  return rows.map(memberOf);
}

/** The rest of a longer chain is ignored, because a circle of sponsors must end somewhere. */
const mostLevels = 1_000;

/**
 * Adds the waiting rows to the teams of all sponsors above, once for each sponsor even in a circle. Returns the number
 * of rows taken. A concurrent call waits for the first one and then finds its rows deleted.
 */
export async function foldTeamDeltas(tx: Tx, most: number) {
  const { rows } = await sql<{ taken: bigint }>`
    with recursive taken as (
      delete from team_delta
      where ctid = any (array(select ctid from team_delta limit ${most}))
      returning user_id, members, volume_sol, volume_usd
    ),
    added as (
      select user_id, sum(members) as members, sum(volume_sol) as volume_sol, sum(volume_usd) as volume_usd
      from taken group by user_id
    ),
    -- The subselect uses the primary key; a join would be planned as a scan of all users at every level.
    carried (user_id, above_id, level) as (
      select user_id, (select sponsor_id from platform_user where id = added.user_id), 1 from added
      union all
      select user_id, (select sponsor_id from platform_user where id = carried.above_id), level + 1
      from carried where above_id <> user_id and level < ${mostLevels}
    ),
    above as (
      select user_id, above_id, min(level) as level
      from carried where above_id <> user_id group by user_id, above_id
    ),
    folded as (
      insert into team (user_id, referral_count, total_network, volume_sol, volume_usd)
      select above_id, coalesce(sum(members) filter (where level = 1), 0), sum(members), sum(volume_sol), sum(volume_usd)
      from above join added using (user_id)
      group by above_id order by above_id
      on conflict (user_id) do update set
        referral_count = team.referral_count + excluded.referral_count,
        total_network = team.total_network + excluded.total_network,
        volume_sol = team.volume_sol + excluded.volume_sol,
        volume_usd = team.volume_usd + excluded.volume_usd
    )
    select count(*) as taken from taken`.execute(tx);
  return Number(rows[0]?.taken ?? 0n);
}

type Piece = { reportId: string; after: string; most: number };

/**
 * Adds the next corrections of a referral report to the stored values, so that rows folded since are kept. Locks the
 * teams in the same order as folding. Returns the last corrected user, or undefined if there are no more.
 */
export async function correctTeams(tx: Tx, { reportId, after, most }: Piece) {
  const { rows } = await sql<{ last: string | null }>`
    with piece as materialized (
      select * from referral_correction where report_id = ${reportId}::uuid and user_id > ${after}::uuid
      order by user_id limit ${most}
    ),
    corrected as (
      insert into team (user_id, referral_count, total_network, volume_sol, volume_usd)
      select user_id, tree_referrals - stored_referrals, tree_network - stored_network, tree_sol - stored_sol,
        tree_usd - stored_usd
      from piece order by user_id
      on conflict (user_id) do update set
        referral_count = team.referral_count + excluded.referral_count,
        total_network = team.total_network + excluded.total_network,
        volume_sol = team.volume_sol + excluded.volume_sol,
        volume_usd = team.volume_usd + excluded.volume_usd
    )
    select (select user_id from piece order by user_id desc limit 1) as last`.execute(tx);
  return rows[0]?.last ?? undefined;
}
