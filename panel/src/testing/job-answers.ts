import { readTree } from 'contract/referrals.ts';
import { listRuns } from 'contract/runs.ts';
import { readSchedule } from 'contract/runs-schedule.ts';
import { listRankChanges, listRankMoves, readRankMoveFigures } from 'contract/users-ranks.ts';
import { type Admin, answerFrame } from './app.ts';
import { longAgo, onePage } from './list-answers.ts';
import { answer } from './server.ts';
import { readGmpDistribution } from 'contract/jobs-gmp-distro.ts';
import { readRankBonus } from 'contract/jobs-rank-bonus.ts';
import { readRankThresholds } from 'contract/jobs-rank-promotion.ts';
import { readReferralCheck } from 'contract/jobs-referral-check.ts';
import { readStakePayout } from 'contract/jobs-stake-payout.ts';

/** The version of default settings. */
export const installed = {
  version: 1,
  savedBy: null,
  approvedBy: null,
  savedAt: longAgo,
  effectiveFrom: longAgo,
  waiting: null,
};

const stakePayout = { enabled: false, baseReward: 5_000, bonusReward: 2_000, loyaltyReward: 3_000 };

const gmpDistribution = {
  amount: 1_000_000_000n,
  frequency: 'Daily' as const,
  time: '06:00',
  enabled: true,
  weekday: 1,
  utcOffset: 0,
  percentage: 1_000,
};

export const thresholds = {
  Silver: { referrals: 5, volume: 1_000_000_000n },
  Gold: { referrals: 20, volume: 5_000_000_000n },
  Platinum: { referrals: 50, volume: 20_000_000_000n },
};

export function answerJobs(admin?: Admin) {
  answerFrame(admin);
  answer(readStakePayout, { ...installed, settings: stakePayout });
  answer(readGmpDistribution, { ...installed, settings: gmpDistribution });
  answer(readReferralCheck, { ...installed, settings: { period: 30, reward: 1_000 } });
  answer(readRankBonus, { ...installed, settings: { rank: 'Silver', bonusAmount: 10_000_000n } });
  answer(readRankThresholds, { ...installed, settings: thresholds });
  answer(readSchedule, { schedule: [] });
  answer(listRuns, { runs: [], ...onePage([]) });
  answer(readTree, { newest: null, finished: null });
  answer(listRankChanges, { changes: [], olderThan: null });
  answer(listRankMoves, { moves: [], version: 1, ...onePage([]) });
  answer(readRankMoveFigures, {
    version: 1,
    total: { count: 0, capped: false },
    steps: [],
    bonusPerDay: 0n,
    rankBonus: { rank: 'Silver', bonusAmount: 10_000_000n, perWeek: 0n },
  });
}
