import { sql } from 'kysely';
import { withoutIndexes } from '#server/core/db/bulk.ts';
import { runQuery, type Tx } from '#server/core/db/db.ts';

/** Inserts all staged users of an import. Sponsors can come after those whom they referred, so it is one statement. */
export async function insertImportedUsers(tx: Tx) {
  const [existing] = await runQuery<{ exists: boolean }>(tx, sql`select exists (select from platform_user)`);
  const insert = async () => {
    await sql`
      insert into platform_user (id, user_id, username, role, wallet, sol_wallet_address, referral_code, sponsor_id, rank,
        last_active_on, blacklisted_at, blacklist_reason, created_at, updated_at)
      select id, user_id, username, role, wallet, sol_wallet_address, referral_code, sponsor_id, rank,
        last_active_on, blacklisted_at, blacklist_reason, created_at, created_at
      from import_user order by id`.execute(tx);
  };
  if (existing?.exists) await insert();
  else await withoutIndexes(tx, ['platform_user', 'user_total'], insert);
  await sql`
    insert into user_secret (user_id, sol_private_key)
    select id, sol_private_key from import_user where sol_private_key is not null order by id`.execute(tx);
  // The stages after this one are planned with these statistics.
  await sql`analyze platform_user, user_total`.execute(tx);
}

/** The profile follows this many sponsors. */
const mostLevels = 1_000;

/**
 * Adds all waiting rows to the teams above them, like `foldTeamDeltas`, but from the lowest level of the tree up: each
 * team is added once to the team above it, so a million rows take seconds. Rows of users in a circle are left to the job.
 */
export async function foldAllTeamDeltas(tx: Tx) {
  await sql`set local work_mem = '256MB'`.execute(tx);
  await sql`
    create temporary table ascending on commit drop as
    with recursive tree (user_id, sponsor_id, level) as (
      select id, null::uuid, 0 from platform_user where sponsor_id is null
      union all
      select below.id, below.sponsor_id, level + 1
      from tree join platform_user as below on below.sponsor_id = tree.user_id where level < ${sql.lit(mostLevels)}
    )
    select user_id, sponsor_id, level from tree`.execute(tx);
  await sql`
    create temporary table added (
      user_id uuid primary key, members bigint not null, volume_sol bigint not null, volume_usd bigint not null
    ) on commit drop`.execute(tx);
  await sql`
    with taken as (
      delete from team_delta where user_id in (select user_id from ascending)
      returning user_id, members, volume_sol, volume_usd
    )
    insert into added select user_id, sum(members), sum(volume_sol), sum(volume_usd) from taken group by user_id
    order by user_id`.execute(tx);
  await carryUp(tx);
}

/** Adds up the levels, from the lowest one. Each row of `carried` is what the users of a level add to their sponsor. */
async function carryUp(tx: Tx) {
  await sql`create index on ascending (level)`.execute(tx);
  await sql`
    create temporary table carried (
      user_id uuid, level int, referrals bigint, members bigint, volume_sol bigint, volume_usd bigint
    ) on commit drop`.execute(tx);
  await sql`create index on carried (level)`.execute(tx);
  await sql`analyze ascending, added`.execute(tx);
  const [lowest] = await runQuery<{ level: number | null }>(tx, sql`select max(level) as level from ascending`);
  for (let level = lowest?.level ?? 0; level > 0; level -= 1) {
    await sql`
      insert into carried (user_id, level, referrals, members, volume_sol, volume_usd)
      select own.sponsor_id, ${level}::int - 1, coalesce(sum(added.members), 0),
        coalesce(sum(added.members), 0) + coalesce(sum(below.members), 0),
        coalesce(sum(added.volume_sol), 0) + coalesce(sum(below.volume_sol), 0),
        coalesce(sum(added.volume_usd), 0) + coalesce(sum(below.volume_usd), 0)
      from ascending as own
      left join added on added.user_id = own.user_id
      left join carried as below on below.level = ${level}::int and below.user_id = own.user_id
      where own.level = ${level}::int
      group by own.sponsor_id`.execute(tx);
  }
  await sql`
    insert into team (user_id, referral_count, total_network, volume_sol, volume_usd)
    select user_id, referrals, members, volume_sol, volume_usd from carried
    where (referrals, members, volume_sol, volume_usd) <> (0, 0, 0, 0) order by user_id
    on conflict (user_id) do update set
      referral_count = team.referral_count + excluded.referral_count,
      total_network = team.total_network + excluded.total_network,
      volume_sol = team.volume_sol + excluded.volume_sol,
      volume_usd = team.volume_usd + excluded.volume_usd`.execute(tx);
}
