import { explainLine } from 'contract/explain.ts';
import { type Component, type Explanation, type PaymentStatus, statusOf } from 'contract/explanation.ts';
import { kindNames } from 'contract/ledger.ts';
import { runKinds } from 'contract/run-kinds.ts';
import type { SkipReason } from 'contract/runs-lines.ts';
import type { Payment, ReversedTransfer } from 'contract/runs-payments.ts';
import { formatDay } from '#panel/ui/time-text.ts';
import { componentNames } from './explanation-text.ts';
import { runKindText } from './run-kinds.ts';
import { formatPeriod } from './run-text.ts';

/* The same facts as on the screen, in words for the user whom they concern. */

type Explained = Payment & { reversedTransfers: readonly ReversedTransfer[]; receivable: string | null };

const thanks = 'Thank you for your question.';

/** Writes the explanation of a payment as plain text for a reply to its user. */
export function writeLetter(payment: Explained): string {
  const body = payment.run.reverses === null ? paragraphsOf(payment) : reversalParagraphs(payment);
  const { run, line } = payment;
  return [
    `Hello ${line.user.username},`,
    ...body,
    `For reference: user ID ${line.user.userId}, payment run ${run.id}${run.reverses === null ? '' : `, which reverses payment run ${run.reverses}`}.`,
    'If you have any further questions, please reply to this message. We are happy to help.',
  ].join('\n\n');
}

function paragraphsOf(payment: Explained) {
  const explanation = explainLine(payment);
  return [
    opening(payment, explanation.status),
    ...(runKinds[payment.run.kind].paysForStakes ? [basisOf(payment)] : []),
    explanation.components.map((component) => paragraphOf(component, explanation.status)).join('\n\n'),
    totalOf(explanation),
    ...settledIn(payment),
  ];
}

/** "your stake payout for 16 Nov 2026" */
const nameOf = ({ run }: Explained) => `your ${runKindText[run.kind].payment} for ${formatPeriod(run)}`;

function opening(payment: Explained, status: PaymentStatus) {
  const name = nameOf(payment);
  switch (status.code) {
    case 'paid':
      return `${thanks} This is how ${name} was calculated.`;
    case 'reversed':
      return `${thanks} This is how ${name} was calculated. It was paid and later reversed.`;
    case 'planned':
      return `${thanks} This is how ${name} is calculated. It has not been paid yet.`;
    case 'not-posted':
    case 'skipped':
      return `${thanks} This is why ${name} was not paid.`;
  }
}

const basisOf = ({ line }: Explained) =>
  `It is for your stake ${line.stakeId ?? ''} of ${line.input} USD. Each part of the daily reward is the stake × the daily rate × the share of that part.`;

const paragraphOf = (component: Component, status: PaymentStatus) =>
  [
    `${componentNames[component.code]}: ${component.amount} ${component.asset}, ${outcomeOf(component, status)}`,
    ...(component.formula === null
      ? []
      : [`  ${component.formula}${component.rounding === null ? '' : ` (${component.rounding})`}`]),
  ].join('\n');

const excluded = 'the account was excluded from payouts at that time';

/** "Blacklisted" is a word for administrators. */
const becauseSkipped: Record<SkipReason, string> = {
  blacklisted: excluded,
  deleted: 'the account was closed',
  paid: 'it had already been paid',
  nothing: 'it is less than the smallest amount that can be paid',
  'not-staked': 'the user you referred had not placed a stake yet',
  spent: 'the available balance was too low',
  ended: 'the stake has ended since',
  late: 'the user you referred placed their first stake before the period of the check',
};

function becauseOf(status: PaymentStatus) {
  if (status.code === 'not-posted') return ' because the payment run was stopped before it reached this payment';
  return status.code === 'skipped' ? ` because ${becauseSkipped[status.reason]}` : '';
}

type Verbs = Record<PaymentStatus['code'], string>;
const verbs: Record<'pay' | 'set-aside' | 'return', Verbs> = {
  pay: {
    paid: 'paid to your available balance',
    reversed: 'paid and later reversed',
    planned: 'not paid yet',
    'not-posted': 'not paid',
    skipped: 'not paid',
  },
  'set-aside': {
    paid: 'set aside for you',
    reversed: 'set aside and later reversed',
    planned: 'not set aside yet',
    'not-posted': 'not set aside',
    skipped: 'not set aside',
  },
  return: {
    paid: 'returned to your available balance',
    reversed: 'returned and later staked again',
    planned: 'not returned yet',
    'not-posted': 'not returned',
    skipped: 'not returned',
  },
};

function outcomeOf({ code, decision }: Component, status: PaymentStatus) {
  switch (decision.code) {
    case 'pay':
      if (code === 'referral-reward' && status.code === 'skipped' && status.reason === 'blacklisted')
        return 'not paid because your account or that of the user you referred was excluded from payouts at that time';
      return `${verbs.pay[status.code]}${becauseOf(status)}`;
    case 'pay-out':
      return `${verbs.pay[status.code]}${becauseOf(status) || ', as part of the loyalty payout'}`;
    case 'set-aside': {
      const until =
        decision.until === null ? 'the stake completes' : `the stake completes on ${formatDay(decision.until)}`;
      return `${verbs['set-aside'][status.code]}${status.code === 'paid' ? ` and paid when ${until}` : becauseOf(status)}`;
    }
    case 'return':
      return `${verbs.return[status.code]}${becauseOf(status)}`;
    case 'no-rank':
      return `not paid because this part is for users who hold a rank, and your account held none on ${formatDay(decision.day)}`;
    case 'after-last-day':
      return decision.lastDay === null
        ? 'because the stake had ended'
        : `because the last day of the stake was ${formatDay(decision.lastDay)}`;
    case 'keep':
      return code === 'rounding' ? 'not paid because each part is rounded down' : 'not part of the payout';
  }
}

function totalOf({ status, due, asset }: Explanation) {
  switch (status.code) {
    case 'paid':
      return `Total paid: ${due} ${asset}`;
    case 'reversed':
      return `Total paid and later reversed: ${due} ${asset}`;
    case 'planned':
      return `Total to be paid: ${due} ${asset}`;
    case 'not-posted':
    case 'skipped':
      return `Total paid: 0.00 ${asset}`;
  }
}

function reversalOpening(payment: Explained, status: PaymentStatus) {
  const transfers = `These transfers of ${nameOf(payment)}`;
  switch (status.code) {
    case 'paid':
    case 'reversed':
      return `${transfers} were reversed.`;
    case 'planned':
      return `${transfers} are going to be reversed.`;
    case 'not-posted':
    case 'skipped':
      return `${transfers} were not reversed${becauseOf(status)}.`;
  }
}

/** The user had spent some of a payment before it was reversed, and this run took it from what it paid them. */
const settledIn = ({ run, receivable }: Explained) =>
  receivable === null
    ? []
    : [
        `Your account owed ${receivable} ${run.asset} after an earlier payment was reversed. We deducted it from your payments in this run.`,
      ];

/** A reversal takes what is available; the user owes the rest. */
const bookedIn = ({ run, receivable }: Explained) =>
  receivable === null
    ? []
    : [
        `Your available balance was ${receivable} ${run.asset} less than the payments that this run reversed, so your account has owed that amount since then.`,
      ];

/** The administrator's reason for a reversal is not meant for users. */
function reversalParagraphs(payment: Explained) {
  const { run, line, reversedTransfers } = payment;
  return [
    `${thanks} ${reversalOpening(payment, statusOf(line, run))}`,
    reversedTransfers
      .map(({ id, kind, amount }) => `${kindNames[kind]}: ${amount} ${run.asset} (transfer ${id})`)
      .join('\n'),
    ...bookedIn(payment),
  ];
}
