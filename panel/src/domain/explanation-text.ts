import type { Component, ComponentCode, Explanation, PaymentStatus } from 'contract/explanation.ts';
import type { SkipReason } from 'contract/runs-lines.ts';
import { formatMoney, moneyIn } from '#panel/ui/amount.tsx';
import { formatDay } from '#panel/ui/time-text.ts';

export const componentNames: Record<ComponentCode, string> = {
  'stake-reward': 'Stake reward',
  'stake-bonus': 'Stake bonus',
  loyalty: 'Loyalty',
  'loyalty-payout': 'Loyalty payout',
  'stake-return': 'Stake returned',
  unshared: 'Undistributed',
  rounding: 'Rounding',
  'gmp-share': 'GMP distribution',
  'referral-reward': 'Referral bonus',
  'rank-reward': 'Rank bonus',
};

type Verbs = Record<PaymentStatus['code'], string>;

const pay: Verbs = {
  paid: 'Paid',
  reversed: 'Paid, then reversed',
  planned: 'To be paid',
  'not-posted': 'Not paid',
  skipped: 'Not paid',
};
const setAside: Verbs = {
  paid: 'Set aside',
  reversed: 'Set aside, then reversed',
  planned: 'To be set aside',
  'not-posted': 'Not set aside',
  skipped: 'Not set aside',
};
const giveBack: Verbs = {
  paid: 'Returned',
  reversed: 'Returned, then staked again',
  planned: 'To be returned',
  'not-posted': 'Not returned',
  skipped: 'Not returned',
};

type Clauses = Record<SkipReason, string>;

const whySkipped: Clauses = {
  blacklisted: 'the user was blacklisted',
  deleted: 'the user was deleted',
  paid: 'already paid',
  nothing: 'below the smallest unit',
  'not-staked': 'the referred user had not staked yet',
  spent: 'already spent',
  ended: 'the stake has ended',
  late: 'the first stake is older than the period',
};
const whySkippedSince: Clauses = {
  ...whySkipped,
  blacklisted: 'the user was blacklisted after the plan',
  deleted: 'the user was deleted after the plan',
};

/** Formats why nothing was paid. Undefined if it was, or will be. */
export function formatWhyNot(status: PaymentStatus) {
  if (status.code === 'not-posted') return 'the run ended before this payment';
  if (status.code !== 'skipped') return undefined;
  return (status.isSincePlan ? whySkippedSince : whySkipped)[status.reason];
}

const withReason = (verb: string, status: PaymentStatus) => {
  const why = formatWhyNot(status);
  return why === undefined ? verb : `${verb}: ${why}`;
};

/** A payment for a referral needs both users to be eligible. */
const namesBoth = (text: string) => text.replace('the user was', 'the user or the referred user was');

/** Formats what became of a component: "Not paid: no rank on 16 Nov 2026". */
export function formatOutcome({ code, decision }: Pick<Component, 'code' | 'decision'>, status: PaymentStatus) {
  switch (decision.code) {
    case 'pay': {
      const text = withReason(pay[status.code], status);
      return code === 'referral-reward' ? namesBoth(text) : text;
    }
    case 'pay-out':
      return formatWhyNot(status) === undefined
        ? `${pay[status.code]} with the loyalty payout`
        : withReason(pay[status.code], status);
    case 'set-aside': {
      const isLater = status.code === 'paid' || status.code === 'planned';
      const until =
        isLater && decision.until !== null ? ` until the stake completes on ${formatDay(decision.until)}` : '';
      return withReason(`${setAside[status.code]}${until}`, status);
    }
    case 'return':
      return withReason(giveBack[status.code], status);
    case 'no-rank':
      return `Not paid: no rank on ${formatDay(decision.day)}`;
    case 'after-last-day':
      return decision.lastDay === null
        ? 'Nothing earned'
        : `Nothing earned after ${formatDay(decision.lastDay)}, its last day`;
    case 'keep':
      return 'Stays in the treasury';
  }
}

const totals: Verbs = {
  paid: 'Total paid',
  reversed: 'Total paid, then reversed',
  planned: 'Total to be paid',
  'not-posted': 'Total not paid',
  skipped: 'Total not paid',
};

export const totalName = ({ status }: Pick<Explanation, 'status'>) => totals[status.code];

/** Whether the user got the component, or will. */
export function isReceived({ decision }: Pick<Component, 'decision'>, status: PaymentStatus) {
  if (formatWhyNot(status) !== undefined) return false;
  return decision.code === 'pay' || decision.code === 'return';
}

const isZero = (amount: string) => !/[1-9]/.test(amount);

/** Formats what a payment does not include, in short: "Stake bonus $0.10 not paid: no rank". */
export function formatUnpaid({ status, components, due, asset }: Explanation): string[] {
  if (status.code === 'skipped') {
    const isNews = !isZero(due) && status.reason !== 'paid';
    return isNews ? [`${formatMoney(moneyIn({ amount: due, asset }))} not paid`] : [];
  }
  return components
    .filter(({ decision, amount }) => decision.code === 'no-rank' && !isZero(amount))
    .map((component) => `${componentNames[component.code]} ${formatMoney(moneyIn(component))} not paid: no rank`);
}
