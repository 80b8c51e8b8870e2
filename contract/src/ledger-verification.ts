import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';

/** A full verification reads the whole ledger; an incremental one what changed since the last one that passed. */
export type VerificationForm = z.output<typeof VerificationForm>;
export const VerificationForm = z.enum(['full', 'incremental']);

export type DifferenceCode = z.output<typeof DifferenceCode>;
export const DifferenceCode = z.enum([
  'user-totals',
  'account-balance',
  'asset-sum',
  'totals-of-all-users',
  'transfer-missing',
  'reversal-mismatch',
  'reversed-twice',
  'payment-key',
  'held-balance',
  'staked-balance',
  'paid-twice',
  'deposit',
  'adjustment',
  'receivable',
  'withdrawal',
  'withdrawal-unapproved',
  'task-reward',
  'stake',
  'transfer-count',
  'run-payments',
  'funding-unexplained',
  'receivable-unexplained',
  'loyalty-overpaid',
  'run-sums',
  'deposit-unsealed',
  'withdrawal-unsealed',
  'withdrawal-request-unsealed',
]);

export type Difference = z.output<typeof Difference>;
export const Difference = z.object({
  code: DifferenceCode,
  params: z.object({
    count: z.number().int(),
    /** The first places: users, accounts, or days with kinds and causes of transfers. */
    where: z.array(z.string()),
  }),
});

export type Verification = z.output<typeof Verification>;
export const Verification = z.object({
  form: VerificationForm,
  startedAt: Timestamp,
  endedAt: Timestamp,
  /** How many transfers it read. */
  transfers: z.number().int(),
  differences: z.array(Difference),
});

/** The worker verifies every ten minutes, so after an hour something is wrong with it. */
export const verificationOverdueAfterMs = 3_600_000;

export const readVerification = endpoint({
  feature: 'ledger',
  method: 'GET',
  url: '/api/ledger/verification',
  access: 'platform.read',
  summary: 'Read the last verification of the ledger that passed, and one that found differences and still counts',
  answer: z.object({
    passed: Verification.nullable(),
    lastFullAt: Timestamp.nullable(),
    /** It counts until a later verification of at least the same scope passes: after a full one, a full one. */
    failed: Verification.nullable(),
  }),
  refusals: {},
});
