import { z } from 'zod';
import type { Asset } from './core/money.ts';
import type { Account, TransferKind } from './ledger.ts';
import { reversalTitle } from './titles.ts';

/** The jobs that pay users with runs. */
export type RunKind = z.output<typeof RunKind>;
export const RunKind = z.enum(['stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus']);

/** All jobs that have settings. A rank promotion makes no payments. */
export type JobName = z.output<typeof JobName>;
export const JobName = z.enum([...RunKind.options, 'rank-promotion']);

type RunKindFacts = {
  title: string;
  asset: Asset;
  /** The figure that a payment is computed from, and its asset. */
  input: { title: string; asset: Asset };
  /** Whether a schedule can plan it, and not only an administrator. */
  isScheduled: boolean;
  /** Whether each payment is made for a stake. */
  paysForStakes: boolean;
  /** The account that the treasury funds and that the users are paid from. */
  fundedAccount: Account;
  /** The transfers that its payments post. */
  transferKinds: readonly TransferKind[];
};

/** What both server and panel need to know about each kind. The server has the rules of a kind, in `runs/kinds/`. */
export const runKinds: Record<RunKind, RunKindFacts> = {
  'stake-payout': {
    title: 'Stake payout',
    asset: 'USD',
    input: { title: 'Stake', asset: 'USD' },
    isScheduled: true,
    paysForStakes: true,
    fundedAccount: 'stake_rewards',
    transferKinds: ['stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty', 'stake'],
  },
  'gmp-distro': {
    title: 'GMP distribution',
    asset: 'GMP',
    input: { title: 'Shares', asset: 'SHARE' },
    isScheduled: true,
    paysForStakes: false,
    fundedAccount: 'gmp_pool',
    transferKinds: ['gmp'],
  },
  'referral-check': {
    title: 'Referral check',
    asset: 'USD',
    input: { title: 'First stake', asset: 'USD' },
    isScheduled: false,
    paysForStakes: false,
    fundedAccount: 'referral_bonuses',
    transferKinds: ['referral'],
  },
  'rank-bonus': {
    title: 'Rank bonus',
    asset: 'USD',
    input: { title: 'Bonus', asset: 'USD' },
    isScheduled: false,
    paysForStakes: false,
    fundedAccount: 'rank_bonuses',
    transferKinds: ['rank-bonus'],
  },
};

export const jobTitle = (job: JobName) => (job === 'rank-promotion' ? 'Rank promotion' : runKinds[job].title);

/** Returns "Stake payout", or "Reversal of stake payout" for a run that reverses one. */
export function runTitle({ kind, reverses }: { kind: RunKind; reverses: string | null }) {
  const { title } = runKinds[kind];
  return reverses === null ? title : reversalTitle(title);
}
