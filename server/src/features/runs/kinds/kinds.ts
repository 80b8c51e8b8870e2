import type { RunKind } from 'contract/run-kinds.ts';
import { gmpDistribution } from './gmp-distro.ts';
import type { JobKind, Planning } from './kind.ts';
import { rankBonus } from './rank-bonus.ts';
import { referralCheck } from './referral-check.ts';
import { reversalPlan } from './reversal.ts';
import { stakePayout } from './stake-payout.ts';

export const kinds: Record<RunKind, JobKind> = {
  'stake-payout': stakePayout,
  'gmp-distro': gmpDistribution,
  'referral-check': referralCheck,
  'rank-bonus': rankBonus,
};

export const planOf = ({ kind, reverses }: Planning) =>
  reverses === null ? kinds[kind].plan : reversalPlan(kinds[kind].moves);
