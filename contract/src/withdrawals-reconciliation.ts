import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { amount } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery } from './core/paging.ts';
import { longestList } from './withdrawals-list.ts';

/**
 * How a list of sent transfers differs from the withdrawals. `missing`: a withdrawal was sent in the period and is not
 * listed. `unexpected`: no sent withdrawal has this reference. The others: a withdrawal has this reference, but another
 * amount or wallet.
 */
export type DifferenceKind = z.output<typeof DifferenceKind>;
export const DifferenceKind = z.enum(['missing', 'unexpected', 'amount', 'wallet']);

const Day = z.iso.date();

export type Reconciliation = z.output<typeof Reconciliation>;
const Reconciliation = z.object({
  id: z.uuid(),
  madeBy: z.string(),
  madeAt: Timestamp,
  /** The first and the last day of the period, in UTC. */
  from: Day,
  to: Day,
  digest: z.string(),
  listed: z.int(),
  matched: z.int(),
  differences: z.int(),
  open: z.int(),
});

export type ReconciliationDifference = z.output<typeof ReconciliationDifference>;
const ReconciliationDifference = z.object({
  id: z.uuid(),
  reconciliation: z.uuid(),
  kind: DifferenceKind,
  reference: z.string().nullable(),
  /** Null for a withdrawal that the list does not contain. */
  listedAmount: amount('USD').nullable(),
  listedWallet: z.string().nullable(),
  listedAt: Timestamp.nullable(),
  /** Ours. Null if no withdrawal has this reference. */
  withdrawal: z
    .object({ id: z.uuid(), user: z.string(), amount: amount('USD'), wallet: z.string(), sentAt: Timestamp.nullable() })
    .nullable(),
  closedAt: Timestamp.nullable(),
  closedBy: z.string().nullable(),
  note: z.string().nullable(),
});

/** A longer period could list so many missing withdrawals that one call cannot store them. */
const longestPeriodDays = 92;

const dayMs = 86_400_000;

/** Whether a list can be compared with the withdrawals of these days. Both are written YYYY-MM-DD. */
export function isPeriod({ from, to }: { from: string; to: string }) {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  return days >= 1 && days <= longestPeriodDays;
}

const DifferenceNotFound = 'This difference does not exist.';

export const reconcileWithdrawals = endpoint({
  feature: 'withdrawals',
  method: 'POST',
  url: '/api/withdrawals/reconciliations',
  access: 'money.prepare',
  summary: 'Compare a CSV list of sent transfers with the withdrawals of a period',
  body: z.strictObject({ list: z.string().max(longestList), from: Day, to: Day }),
  answer: z.object({ reconciliation: Reconciliation }),
  refusals: {
    409: { ListKnown: 'This list was already compared with the withdrawals of this period.' },
    422: {
      ListInvalid: 'The list cannot be read. It needs the columns reference, amount, wallet and time.',
      PeriodInvalid: `The period must end after it starts, and have at most ${longestPeriodDays} days.`,
    },
  },
});

export const listReconciliations = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/reconciliations',
  access: 'platform.read',
  summary: 'List the comparisons a page at a time, newest first',
  querystring: z.strictObject({ ...pageQuery }),
  answer: z.object({ reconciliations: z.array(Reconciliation), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const listDifferences = endpoint({
  feature: 'withdrawals',
  method: 'GET',
  url: '/api/withdrawals/differences',
  access: 'platform.read',
  summary: 'List the differences between lists and withdrawals a page at a time, newest first',
  querystring: z.strictObject({
    ...pageQuery,
    /** Only those that nobody has closed yet. */
    only: z.literal('open').optional(),
    reconciliation: z.uuid().optional(),
  }),
  answer: z.object({ differences: z.array(ReconciliationDifference), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const closeDifference = endpoint({
  feature: 'withdrawals',
  method: 'POST',
  url: '/api/withdrawals/differences/:id/close',
  access: 'money.prepare',
  summary: 'Close a difference with a note that explains it',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ note: z.string().trim().min(1).max(500) }),
  answer: z.object({ difference: ReconciliationDifference }),
  refusals: {
    404: { DifferenceNotFound },
    409: { DifferenceClosed: 'Someone else has just closed this difference.' },
  },
});
