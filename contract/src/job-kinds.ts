import type { z } from 'zod';
import { GmpDistribution, readGmpDistribution, saveGmpDistribution } from './jobs-gmp-distro.ts';
import { RankBonus, readRankBonus, saveRankBonus } from './jobs-rank-bonus.ts';
import { readRankThresholds, saveRankThresholds } from './jobs-rank-promotion.ts';
import { ReferralCheck, readReferralCheck, saveReferralCheck } from './jobs-referral-check.ts';
import { readStakePayout, StakePayout, saveStakePayout } from './jobs-stake-payout.ts';
import type { settingsRead, settingsSave } from './jobs.ts';
import { RankThresholds } from './ranks.ts';
import type { JobName } from './run-kinds.ts';

type Settings = z.ZodType<unknown, object>;

type JobKind = {
  settings: Settings;
  read: ReturnType<typeof settingsRead<JobName, Settings>>;
  save: ReturnType<typeof settingsSave<JobName, Settings>>;
  /** The settings that decide how much is paid. A change of one of them needs a second approver. */
  rewardSettings: readonly string[];
};

/** Every job that has settings. The compiler requires an entry for each job name. */
export const jobKinds: Record<JobName, JobKind> = {
  'stake-payout': {
    settings: StakePayout,
    read: readStakePayout,
    save: saveStakePayout,
    rewardSettings: ['baseReward', 'bonusReward', 'loyaltyReward'],
  },
  'gmp-distro': {
    settings: GmpDistribution,
    read: readGmpDistribution,
    save: saveGmpDistribution,
    rewardSettings: ['amount', 'percentage'],
  },
  'referral-check': {
    settings: ReferralCheck,
    read: readReferralCheck,
    save: saveReferralCheck,
    rewardSettings: ['reward'],
  },
  // A rank bonus needs no approval of its settings, because its amount is checked against the limit with each run.
  'rank-bonus': { settings: RankBonus, read: readRankBonus, save: saveRankBonus, rewardSettings: [] },
  'rank-promotion': {
    settings: RankThresholds,
    read: readRankThresholds,
    save: saveRankThresholds,
    rewardSettings: [],
  },
};
