import type { CopyIn } from '#server/core/db/copy.ts';

type SeedUser = {
  id: string;
  userId: string;
  username: string;
  role: 'User' | 'Admin';
  wallet: string;
  solWalletAddress: string;
  referralCode: string;
  sponsorId: string | null;
  rank: 'none' | 'Silver' | 'Gold' | 'Platinum';
  lastActiveOn: Date;
  blacklistedAt: Date | null;
  blacklistReason: string | null;
  createdAt: Date;
};

export function copyUsers(copy: CopyIn, users: Iterable<SeedUser>) {
  const statement = `copy platform_user (id, user_id, username, role, wallet, sol_wallet_address, referral_code, sponsor_id,
    rank, last_active_on, blacklisted_at, blacklist_reason, created_at, updated_at) from stdin`;
  return copy(statement, lines());
  function* lines() {
    for (const it of users) {
      const { id, userId, username, role, wallet, solWalletAddress, referralCode, sponsorId, rank, createdAt } = it;
      const named = [id, userId, username, role, wallet, solWalletAddress, referralCode, sponsorId, rank];
      yield [...named, it.lastActiveOn, it.blacklistedAt, it.blacklistReason, createdAt, createdAt];
    }
  }
}

type SeedTeam = { userId: string; referralCount: bigint; totalNetwork: bigint; volumeSol: bigint; volumeUsd: bigint };

export function copyTeams(copy: CopyIn, teams: Iterable<SeedTeam>) {
  return copy('copy team (user_id, referral_count, total_network, volume_sol, volume_usd) from stdin', lines());
  function* lines() {
    for (const { userId, referralCount, totalNetwork, volumeSol, volumeUsd } of teams) {
      yield [userId, referralCount, totalNetwork, volumeSol, volumeUsd];
    }
  }
}

/** Counts what the triggers would have counted if the bulk load had not disabled them. */
export const recountUsers = `
  insert into user_count (measure, at, delta)
  select 'all', null::timestamptz, count(*) from platform_user where retired_at is null
  union all
  select 'blacklisted', null, count(*) from platform_user where retired_at is null and blacklisted_at is not null
  union all
  select 'registered', date_trunc('hour', created_at, 'UTC'), count(*) from platform_user group by 2
  union all
  select 'active', last_active_on at time zone 'UTC', count(*)
  from platform_user where retired_at is null and last_active_on is not null group by 2`;

export const forgetTeamDeltas = 'delete from team_delta';
