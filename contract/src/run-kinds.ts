import { z } from 'zod';
import type { Asset } from './core/money.ts';
import type { Account, TransferKind } from './ledger.ts';
import { reversalTitle } from './titles.ts';

/** The jobs that pay many users by a run. */
export type RunKind = z.output<typeof RunKind>;
export const RunKind = z.enum(['stake-payout', 'gmp-distro', 'referral-check', 'rank-bonus']);

/** All jobs that have settings. A rank promotion pays nobody. */
export type JobName = z.output<typeof JobName>;
export const JobName = z.enum([...RunKind.options, 'rank-promotion']);

type RunKindFacts = {
  title: string;
  asset: Asset;
  /** What the amount of a payment is computed from, and in which asset that is counted. */
  input: { title: string; asset: Asset };
  /** Whether a schedule plans it, or only an administrator. */
  isScheduled: boolean;
  /** Whether each payment is made for a stake. */
  paysForStakes: boolean;
  /** The account that the treasury funds and that the users are paid from. */
  fundedAccount: Account;
  /** The transfers that its payments post. */
  transferKinds: readonly TransferKind[];
};

/** What server and panel need to know of each kind. The rules of a kind are in the server, in `runs/kinds/`. */
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

/** "Stake payout", and of the run that reverses one "Reversal of stake payout". */
export function runTitle({ kind, reverses }: { kind: RunKind; reverses: string | null }) {
  const { title } = runKinds[kind];
  return reverses === null ? title : reversalTitle(title);
}
