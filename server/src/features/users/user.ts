import type { User } from 'contract/users.ts';
import type { UserRecord } from './queries.ts';

/** Converts a record to the user of the contract. A user who never referred anyone has no team row yet. */
export function userOf(record: UserRecord): User {
  return {
    id: record.id,
    userId: record.userId,
    username: record.username,
    role: record.role,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    wallet: record.wallet,
    solWalletAddress: record.solWalletAddress,
    solPrivateKey: record.holdsPrivateKey ? 'held' : 'none',
    password: record.hasPassword ? 'set' : 'none',
    passwordResetAt: record.passwordResetAt,
    token: record.hasToken ? 'present' : 'absent',
    referralCode: record.referralCode,
    referredBy: sponsorOf(record),
    rank: record.rank,
    isBlacklisted: record.blacklistedAt !== null,
    blacklistReason: record.blacklistReason,
    lastActiveOn: record.lastActiveOn,
    photo: record.photo,
    version: record.version,
    ...teamOf(record),
    ...earningsOf(record),
    ...balancesOf(record),
  };
}

function sponsorOf({ sponsorId: id, sponsorUserId: userId, sponsorUsername: username, sponsorRetiredAt }: UserRecord) {
  if (id === null || userId === null || username === null) return null;
  return { id, userId, username, isDeleted: sponsorRetiredAt !== null };
}

function teamOf({ referralCount, totalNetwork, volumeSol, volumeUsd }: UserRecord) {
  return {
    referralCount: Number(referralCount ?? 0n),
    totalNetwork: Number(totalNetwork ?? 0n),
    totalTeamVolumeSOL: volumeSol ?? 0n,
    totalTeamVolumeUSD: volumeUsd ?? 0n,
  };
}

/** The total adds up dollars only; GMP has its own unit. */
function earningsOf(record: UserRecord) {
  const referralBonus = record.referralBonusUsd ?? 0n;
  const weeklyRankBonusEarnings = record.weeklyRankBonusUsd ?? 0n;
  const totalStakedEarned = record.stakedEarnedUsd ?? 0n;
  const taskRewards = record.taskRewardsUsd ?? 0n;
  return {
    referralBonus,
    weeklyRankBonusEarnings,
    totalStakedEarned,
    taskRewards,
    totalEarnings: referralBonus + weeklyRankBonusEarnings + totalStakedEarned + taskRewards,
    gmpEarnings: record.gmpEarnings ?? 0n,
  };
}

function balancesOf(record: UserRecord) {
  return {
    available: record.availableUsd ?? 0n,
    receivable: record.receivableUsd ?? 0n,
    receivableGmp: record.receivableGmp ?? 0n,
    totalStaked: record.stakedUsd ?? 0n,
    totalDeposit: record.depositUsd ?? 0n,
    totalWithdrawals: record.withdrawnUsd ?? 0n,
    withdrawal: record.withdrawingUsd ?? 0n,
    gmpShares: record.gmpShares ?? 0n,
    SLX: record.slx ?? 0n,
  };
}
