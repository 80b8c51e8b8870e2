import { Reason, type ReasonCode } from 'contract/runs-reasons.ts';
import { expect, test } from 'vitest';
import { formatReason } from './reason-text.ts';

type Case = { params: unknown; text: string };

const cases: Record<ReasonCode, [Case, ...Case[]]> = {
  'lines-changed': [{ params: {}, text: 'The payments no longer match the plan.' }],
  'posted-mismatch': [
    {
      params: { asset: 'USD', postedUnits: '1500000000', plannedUnits: '1500000001' },
      text: '$1,500.00 was posted, but $1,500.000001 was planned.',
    },
  ],
  'ended-stakes-mismatch': [
    { params: { ended: 0, planned: 1 }, text: '0 stakes ended, but the plan ends 1 stake.' },
    { params: { ended: 1, planned: 1200 }, text: '1 stake ended, but the plan ends 1,200 stakes.' },
  ],
  'stake-exceeds-staked': [{ params: {}, text: "A stake that ends is larger than its owner's staked balance." }],
  'technical-error': [{ params: { message: 'deadlock detected' }, text: 'Technical error: deadlock detected.' }],
  text: [{ params: { text: 'Made way for the schedule.' }, text: 'Made way for the schedule.' }],
  paused: [{ params: { by: 'ines.moreau' }, text: 'Paused by ines.moreau.' }],
  cancelled: [{ params: { by: 'ines.moreau' }, text: 'Canceled by ines.moreau.' }],
  superseded: [
    { params: { by: 'ines.moreau' }, text: 'Replaced by a plan from ines.moreau.' },
    { params: { by: null }, text: 'Replaced by a scheduled run.' },
  ],
  'plan-changed': [{ params: {}, text: 'The stored plan no longer matches its fingerprint.' }],
  'users-ineligible': [
    {
      params: { usernames: ['quinn'], more: false, since: 'blacklisted' },
      text: 'quinn was blacklisted after the run was planned.',
    },
    {
      params: { usernames: ['quinn', 'milan'], more: false, since: 'blacklisted-or-deleted' },
      text: 'quinn and milan were blacklisted or deleted after the run was planned.',
    },
    {
      params: { usernames: ['quinn', 'milan', 'ada'], more: true, since: 'deleted' },
      text: 'quinn, milan, ada and others were deleted after the run was planned.',
    },
  ],
  'treasury-too-low': [
    {
      params: { asset: 'USD', treasuryUnits: '0', neededUnits: '80000' },
      text: 'The treasury has $0.00, but $0.08 is needed.',
    },
    {
      params: { asset: 'GMP', treasuryUnits: '-5000000', neededUnits: '9007199254740993000001' },
      text: 'The treasury has −5.00 GMP, but 9,007,199,254,740,993.000001 GMP is needed.',
    },
  ],
  'reversal-exceeds-balance': [
    { params: {}, text: 'A user no longer has the amount to reverse. Plan the reversal again.' },
  ],
  'planning-failed': [{ params: { message: 'out of memory' }, text: 'Planning failed: out of memory.' }],
  'chunk-failed': [
    {
      params: { chunk: 1200, failure: { code: 'lines-changed', params: {} } },
      text: 'Chunk 1,200: The payments no longer match the plan.',
    },
  ],
  'chunks-failed': [
    {
      params: { chunks: 1, failure: { code: 'technical-error', params: { message: 'disk full' } } },
      text: `One chunk could not be paid after three attempts: ${formatReason({ code: 'technical-error', params: { message: 'disk full' } })} Everyone else is paid. Try again to pay the rest.`,
    },
    {
      params: { chunks: 1200, failure: { code: 'lines-changed', params: {} } },
      text: '1,200 chunks could not be paid after three attempts: The payments no longer match the plan. Everyone else is paid. Try again to pay the rest.',
    },
  ],
  'worker-missing': [{ params: {}, text: 'No worker is running.' }],
  'disk-full': [{ params: {}, text: "The database's disk is full." }],
  'waiting-for-lock': [
    { params: { application: 'psql' }, text: 'Waiting for a database lock held by psql.' },
    { params: { application: null }, text: 'Waiting for a database lock held by another connection.' },
  ],
  'no-progress': [{ params: {}, text: "The cause is unknown. Check the worker's log." }],
  'no-worker': [{ params: {}, text: 'No worker was running, or the platform was under maintenance.' }],
  'schedule-changed': [{ params: {}, text: 'The schedule was changed before a worker checked it.' }],
  'schedule-disabled': [{ params: {}, text: 'Not started before the schedule was turned off.' }],
  'run-active': [{ params: { kind: 'gmp-distro', period: '2026-03' }, text: 'The run for Mar 2026 had not finished.' }],
  'already-paid': [{ params: { kind: 'stake-payout', period: '2026-03-01' }, text: '1 Mar 2026 was already paid.' }],
  'catching-up': [{ params: {}, text: 'Not paid yet. Unpaid days are paid one at a time.' }],
  'not-started': [{ params: {}, text: 'Not started yet.' }],
  'payments-reversed': [{ params: {}, text: 'Its payments were reversed.' }],
  'payments-partly-reversed': [{ params: {}, text: 'Some of its payments were reversed.' }],
  'approval-denied': [{ params: { by: 'ben', reason: 'Too much.' }, text: 'ben denied this plan: Too much.' }],
};

const rows = Object.entries(cases).flatMap(([code, ofCode]) => ofCode.map((one) => ({ code, ...one })));

test.each(rows)('$code: $text', ({ code, params, text }) => {
  expect(formatReason(Reason.parse({ code, params }))).toBe(text);
});
