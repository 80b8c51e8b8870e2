import type { Reason, ReasonCode } from 'contract/runs-reasons.ts';
import { formatMoney } from '#panel/ui/amount.tsx';
import { formatCount } from '#panel/ui/table/view.ts';
import { formatPeriod } from './run-text.ts';

type Params = { [Known in Reason as Known['code']]: Known['params'] };
type ReasonOf<Code extends ReasonCode> = { [Known in Code]: { code: Known; params: Params[Known] } }[Code];

const text: { [Code in ReasonCode]: (params: Params[Code]) => string } = {
  'lines-changed': () => 'The payments no longer match the plan.',
  'posted-mismatch': ({ asset, postedUnits, plannedUnits }) =>
    `${formatUnits(postedUnits, asset)} was posted, but ${formatUnits(plannedUnits, asset)} was planned.`,
  'ended-stakes-mismatch': ({ ended, planned }) =>
    `${formatStakes(ended)} ended, but the plan ends ${formatStakes(planned)}.`,
  'stake-exceeds-staked': () => "A stake that ends is larger than its owner's staked balance.",
  'technical-error': ({ message }) => `Technical error: ${endSentence(message)}`,
  text: (params) => params.text,

  paused: ({ by }) => `Paused by ${by}.`,
  cancelled: ({ by }) => `Canceled by ${by}.`,
  superseded: ({ by }) => (by === null ? 'Replaced by a scheduled run.' : `Replaced by a plan from ${by}.`),

  'plan-changed': () => 'The stored plan no longer matches its fingerprint.',
  'users-ineligible': ({ usernames, more, since }) => {
    const names = joinNames(more ? [...usernames, 'others'] : usernames);
    const verb = more || usernames.length > 1 ? 'were' : 'was';
    return `${names} ${verb} ${sinceText[since]} after the run was planned.`;
  },
  'treasury-too-low': ({ asset, treasuryUnits, neededUnits }) =>
    `The treasury has ${formatUnits(treasuryUnits, asset)}, but ${formatUnits(neededUnits, asset)} is needed.`,
  'reversal-exceeds-balance': () => 'A user no longer has the amount to reverse. Plan the reversal again.',

  'planning-failed': ({ message }) => `Planning failed: ${endSentence(message)}`,
  'chunk-failed': ({ chunk, failure }) => `Chunk ${formatCount(chunk)}: ${formatReason(failure)}`,
  'chunks-failed': ({ chunks, failure }) =>
    `${chunks === 1 ? 'One chunk' : `${formatCount(chunks)} chunks`} could not be paid after three attempts: ${formatReason(failure)} Everyone else is paid. Try again to pay the rest.`,

  'worker-missing': () => 'No worker is running.',
  'disk-full': () => "The database's disk is full.",
  'waiting-for-lock': ({ application }) =>
    `Waiting for a database lock held by ${application === null ? 'another connection' : application}.`,
  'no-progress': () => "The cause is unknown. Check the worker's log.",

  'no-worker': () => 'No worker was running, or the platform was under maintenance.',
  'schedule-changed': () => 'The schedule was changed before a worker checked it.',
  'schedule-disabled': () => 'Not started before the schedule was turned off.',
  'run-active': (run) => `The run for ${formatPeriod(run)} had not finished.`,
  'already-paid': (run) => `${formatPeriod(run)} was already paid.`,
  'catching-up': () => 'Not paid yet. Unpaid days are paid one at a time.',
  'not-started': () => 'Not started yet.',

  'payments-reversed': () => 'Its payments were reversed.',
  'payments-partly-reversed': () => 'Some of its payments were reversed.',
  'approval-denied': ({ by, reason }) => `${by} denied this plan: ${reason}`,
};

/** A reason as a sentence. */
export function formatReason<Code extends ReasonCode>({ code, params }: ReasonOf<Code>): string {
  return text[code](params);
}

/** Other sentences follow a reason, and the message of an error rarely ends with a period. */
const endSentence = (message: string) => (/[.!?]$/.test(message) ? message : `${message}.`);

const formatUnits = (units: string, asset: Params['treasury-too-low']['asset']) =>
  formatMoney({ units: BigInt(units), asset });

const formatStakes = (count: number) => `${formatCount(count)} ${count === 1 ? 'stake' : 'stakes'}`;

const sinceText: Record<Params['users-ineligible']['since'], string> = {
  blacklisted: 'blacklisted',
  deleted: 'deleted',
  'blacklisted-or-deleted': 'blacklisted or deleted',
};

/** "a", "a and b", "a, b and c" */
const joinNames = (names: readonly string[]) =>
  names.length === 1 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
