import type { z } from 'zod';
import { GmpDistribution, readGmpDistribution, saveGmpDistribution } from './jobs-gmp-distro.ts';
import { RankBonus, readRankBonus, saveRankBonus } from './jobs-rank-bonus.ts';
import { readRankThresholds, saveRankThresholds } from './jobs-rank-promotion.ts';
import { ReferralCheck, readReferralCheck, saveReferralCheck } from './jobs-referral-check.ts';
import { readStakePayout, StakePayout, saveStakePayout } from './jobs-stake-payout.ts';
import type { settingsRead, settingsSave } from './jobs.ts';
import { Rank, RankThresholds } from './ranks.ts';
import type { JobName } from './run-kinds.ts';

type Settings = z.ZodType<unknown, object>;

type JobKind = {
  settings: Settings;
  read: ReturnType<typeof settingsRead<JobName, Settings>>;
  save: ReturnType<typeof settingsSave<JobName, Settings>>;
  /** The settings that decide what is paid, to whom and how often. A change of one needs a second approver. */
  rewardSettings: readonly string[];
  /** Whether each run pays one day. Its settings then apply to whole days. */
  paysDays: boolean;
};

/** Every job that has settings. The compiler requires an entry for each job name. */
export const jobKinds: Record<JobName, JobKind> = {
  'stake-payout': {
    settings: StakePayout,
    read: readStakePayout,
    save: saveStakePayout,
    rewardSettings: ['baseReward', 'bonusReward', 'loyaltyReward'],
    paysDays: true,
  },
  'gmp-distro': {
    settings: GmpDistribution,
    read: readGmpDistribution,
    save: saveGmpDistribution,
    rewardSettings: ['amount', 'percentage', 'frequency', 'weekday', 'utcOffset'],
    paysDays: false,
  },
  'referral-check': {
    settings: ReferralCheck,
    read: readReferralCheck,
    save: saveReferralCheck,
    rewardSettings: ['period', 'reward'],
    paysDays: false,
  },
  'rank-bonus': {
    settings: RankBonus,
    read: readRankBonus,
    save: saveRankBonus,
    rewardSettings: ['rank', 'bonusAmount'],
    paysDays: false,
  },
  'rank-promotion': {
    settings: RankThresholds,
    read: readRankThresholds,
    save: saveRankThresholds,
    rewardSettings: Rank.options.flatMap((rank) => [`${rank}.referrals`, `${rank}.volume`]),
    paysDays: false,
  },
};
