import { type Asset, parseAmount, writeAmount } from './core/money.ts';
import { isOver } from './run-states.ts';
import type { RunLine, SkipReason } from './runs-lines.ts';
import type { Run, RunDetail } from './runs.ts';

/**
 * What the plan decides about a component. What became of a decision to pay, to set aside or to return depends on the
 * status of the payment. The panel has the words.
 */
export type Decision =
  | { code: 'pay' }
  /** Paid on the day on which the stake completes. */
  | { code: 'set-aside'; until: string | null }
  /** Set aside and paid out on the same day, as part of the loyalty that is paid. */
  | { code: 'pay-out' }
  | { code: 'return' }
  /** The owner of the stake holds no rank on the day. */
  | { code: 'no-rank'; day: string }
  /** The stake is completed after its last day and earns nothing any more. */
  | { code: 'after-last-day'; lastDay: string | null }
  /** Stays in the treasury. */
  | { code: 'keep' };

export type ComponentCode =
  | 'stake-reward'
  | 'stake-bonus'
  | 'loyalty'
  | 'loyalty-payout'
  | 'stake-return'
  | 'unshared'
  | 'rounding'
  | 'gmp-share'
  | 'referral-reward'
  | 'rank-reward';

/** One part of a payment with its formula, whether it was paid or not. */
export type Component = {
  code: ComponentCode;
  /** The formula with its numbers filled in. Null if there is nothing to calculate. */
  formula: string | null;
  /** What was lost by rounding down. Null if nothing was. */
  rounding: string | null;
  amount: string;
  asset: Asset;
  decision: Decision;
};

/** What became of a payment. */
export type PaymentStatus =
  | { code: 'paid' | 'reversed' | 'planned' | 'not-posted' }
  /** `isSincePlan` is true if the plan pays it, and it was skipped at payment. */
  | { code: 'skipped'; reason: SkipReason; isSincePlan: boolean };

export type Explanation = {
  status: PaymentStatus;
  components: Component[];
  /** The sum of the components that are paid to the user, or would be if the payment were not skipped. */
  due: string;
  asset: Asset;
};

/** A line of a plan with its run, and the stored settings and inputs that it was computed from. */
export type ExplainedLine = {
  run: Pick<Run, 'kind' | 'day' | 'state' | 'asset'>;
  line: RunLine;
} & Pick<RunDetail, 'settings' | 'inputs'>;

type Status = Pick<RunLine, 'skip' | 'isSkippedSince' | 'paid' | 'reversed'>;

/** An unposted line of a finished run will never be posted, so it is not planned any more. */
export function statusOf(
  { skip, isSkippedSince, paid, reversed }: Status,
  { state }: Pick<Run, 'state'>,
): PaymentStatus {
  if (skip !== null) return { code: 'skipped', reason: skip, isSincePlan: isSkippedSince };
  if (reversed) return { code: 'reversed' };
  if (paid) return { code: 'paid' };
  return { code: isOver(state) ? 'not-posted' : 'planned' };
}

/** Whether the plan pays the line. A line that it skips has no amounts, only the inputs of the formula. */
export const isPlanned = ({ skip, isSkippedSince }: RunLine) => skip === null || isSkippedSince;

type Explained = {
  amount: string;
  formula?: string;
  rounding?: string | null;
  asset?: Asset;
  decision?: Decision;
};

export const explained = (code: ComponentCode, given: Explained): Component => ({
  code,
  formula: null,
  rounding: null,
  asset: 'USD',
  decision: { code: 'pay' },
  ...given,
});

/** Sums the components that are paid to the user. A returned stake is the user's own money and no payment. */
export const dueOf = (components: readonly Component[], asset: Asset) =>
  writeAmount(
    components.reduce(
      (sum, { decision, amount }) => (decision.code === 'pay' ? sum + parseAmount(amount, asset) : sum),
      0n,
    ),
    asset,
  );

export const percent = (basisPoints: number) => `${basisPoints / 100}%`;
export const percentOfRate = (partsPerMillion: number) => `${partsPerMillion / 10_000}%`;
export const usd = (units: bigint) => writeAmount(units, 'USD');
