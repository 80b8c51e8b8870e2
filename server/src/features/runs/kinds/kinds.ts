import { gmpDistributionPayment, gmpDistributionPlan } from './gmp-distro.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { Payment, Plan, Planning } from './kind.ts';
import { rankBonusPayment, rankBonusPlan } from './rank-bonus.ts';
import { referralCheckPayment, referralCheckPlan } from './referral-check.ts';
import { reversalPlan } from './reversal.ts';
import { stakePayoutPayment, stakePayoutPlan } from './stake-payout.ts';

const plans: Record<RunKind, Plan> = {
  'stake-payout': stakePayoutPlan,
  'gmp-distro': gmpDistributionPlan,
  'referral-check': referralCheckPlan,
  'rank-bonus': rankBonusPlan,
};

export const payments: Record<RunKind, Payment> = {
  'stake-payout': stakePayoutPayment,
  'gmp-distro': gmpDistributionPayment,
  'referral-check': referralCheckPayment,
  'rank-bonus': rankBonusPayment,
};

export const planOf = ({ kind, reverses }: Planning) =>
  reverses === null ? plans[kind] : reversalPlan(payments[kind]);
