import { z } from 'zod';
import { Day, endpoint, Timestamp } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { Asset } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery } from './core/paging.ts';
import { reversalTitle } from './titles.ts';

/** The first four exist for every user; the others belong to the platform. */
export type Account = z.output<typeof Account>;
export const Account = z.enum([
  'available',
  'staked',
  'receivable',
  'held',
  'treasury',
  'outside',
  'stake_rewards',
  'loyalty',
  'gmp_pool',
  'referral_bonuses',
  'rank_bonuses',
  'task_rewards',
  'adjustments',
]);

export const accountNames: Record<Account, string> = {
  available: 'Available',
  staked: 'Staked',
  held: 'On hold',
  receivable: 'Receivables',
  treasury: 'Treasury',
  outside: 'External',
  stake_rewards: 'Stake rewards',
  loyalty: 'Loyalty',
  gmp_pool: 'GMP pool',
  referral_bonuses: 'Referral bonuses',
  rank_bonuses: 'Rank bonuses',
  task_rewards: 'Task rewards',
  adjustments: 'Adjustments',
};

export type TransferKind = z.output<typeof TransferKind>;
export const TransferKind = z.enum([
  'deposit',
  'stake',
  'stake-end',
  'stake-base',
  'stake-bonus',
  'stake-loyalty',
  'loyalty',
  'gmp',
  'referral',
  'rank-bonus',
  'task',
  'withdrawal',
  'adjustment',
  'receivable',
  'funding',
]);

export const kindNames: Record<TransferKind, string> = {
  deposit: 'Deposit',
  stake: 'Stake',
  'stake-end': 'Stake ended early',
  'stake-base': 'Stake reward',
  'stake-bonus': 'Stake bonus',
  'stake-loyalty': 'Loyalty set aside',
  loyalty: 'Loyalty paid',
  gmp: 'GMP distribution',
  referral: 'Referral bonus',
  'rank-bonus': 'Rank bonus',
  task: 'Task reward',
  withdrawal: 'Withdrawal',
  adjustment: 'Adjustment',
  receivable: 'Receivable booked',
  funding: 'Funding',
};

/** The human-readable id of a transfer: its accounting day and its number, such as 20261115-4711. */
export const Reference = z.string().regex(/^\d{8}-\d{1,18}$/, rule('must be a transfer such as 20261115-4711'));

export type Transfer = z.output<typeof Transfer>;
export const Transfer = z.object({
  id: Reference,
  /** The accounting day: the paid day, the Monday of the paid week, or else the day of posting. */
  day: Day,
  postedAt: Timestamp,
  kind: TransferKind,
  /** The stake, withdrawal, task, adjustment or run that it was posted for; for a distribution, the user. */
  cause: z.uuid(),
  user: z.object({ id: z.uuid(), username: z.string(), isDeleted: z.boolean() }).nullable(),
  asset: Asset,
  /** A decimal string, also in memory, because its unit depends on the asset. */
  amount: z.string(),
  from: Account,
  to: Account,
  /** The transfer that this one reverses. */
  reverses: Reference.nullable(),
});

/**
 * A withdrawal moves money twice: into `held` when it is requested, and out or back when it is confirmed, fails or is
 * rejected.
 */
function withdrawalStep({ from, to }: Pick<Transfer, 'from' | 'to'>) {
  if (from === 'available') return 'held';
  return to === 'available' ? 'returned' : 'paid out';
}

/** Returns the title of a transfer, such as "Withdrawal held" or "Reversal of task reward". */
export function transferTitle(transfer: Pick<Transfer, 'kind' | 'from' | 'to' | 'reverses'>) {
  const name = kindNames[transfer.kind];
  if (transfer.reverses !== null) return reversalTitle(name);
  if (transfer.kind === 'adjustment' && transfer.to === 'receivable') return 'Receivable written off';
  if (transfer.kind === 'stake-end' && transfer.to === 'treasury') return 'Loyalty forfeited';
  if (transfer.kind === 'receivable' && transfer.to === 'receivable') return 'Receivable settled';
  return transfer.kind === 'withdrawal' ? `${name} ${withdrawalStep(transfer)}` : name;
}

export const listTransfers = endpoint({
  feature: 'ledger',
  method: 'GET',
  url: '/api/ledger/transfers',
  access: 'platform.read',
  summary: 'List transfers a page at a time, the newest day first',
  querystring: z.strictObject({
    ...pageQuery,
    kind: TransferKind.optional(),
    user: z.uuid().optional(),
    /** The first and the last accounting day, both inclusive. */
    from: Day.optional(),
    to: Day.optional(),
  }),
  answer: z.object({ transfers: z.array(Transfer), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readTransfer = endpoint({
  feature: 'ledger',
  method: 'GET',
  url: '/api/ledger/transfers/:id',
  access: 'platform.read',
  summary: 'Read one transfer and its reversal',
  params: z.strictObject({ id: Reference }),
  answer: z.object({
    transfer: Transfer,
    reversedBy: Reference.nullable(),
    /** Who made the adjustment, and why. Null for other kinds. */
    adjusted: z.object({ by: z.string(), reason: z.string() }).nullable(),
    /** The reversal that booked a receivable, or the run that settled it. Null for other kinds. */
    bookedBy: z.uuid().nullable(),
  }),
  refusals: { 404: { TransferNotFound: 'There is no such transfer.' } },
});

export type Balance = z.output<typeof Balance>;
const Balance = z.object({ account: Account, asset: Asset, amount: z.string() });

export const readBalances = endpoint({
  feature: 'ledger',
  method: 'GET',
  url: '/api/ledger/balances',
  access: 'platform.read',
  summary: 'Read the balance of every account; available, staked and held are the sums over all users',
  answer: z.object({ balances: z.array(Balance) }),
  refusals: {},
});

/** The assets that an administrator can adjust: those that users hold. */
export type AdjustedAsset = z.output<typeof AdjustedAsset>;
export const AdjustedAsset = Asset.exclude(['SOL']);

/** The assets in which the platform pays rewards. */
export type TreasuryAsset = z.output<typeof TreasuryAsset>;
export const TreasuryAsset = AdjustedAsset.extract(['USD', 'GMP']);

export const adjust = endpoint({
  feature: 'ledger',
  movesMoney: true,
  method: 'POST',
  url: '/api/ledger/adjustments',
  access: 'money.prepare',
  summary: 'Adjust the balance of a user or the treasury, with a reason; above the limit, request an approval',
  body: z
    .strictObject({
      /** Chosen by the client, so that a repeated request is the same adjustment and not another one. */
      id: z.uuid(),
      /** Null adjusts the treasury, with `outside` as the other side of the transfer. */
      user: z.uuid().nullable(),
      asset: AdjustedAsset,
      /** An amount of the asset. A negative amount is deducted. */
      amount: z.string().max(40),
      reason: z.string().trim().min(1).max(500),
    })
    .refine(({ user, asset }) => user !== null || TreasuryAsset.safeParse(asset).success, {
      path: ['asset'],
      error: 'The treasury has USD and GMP.',
    }),
  answer: z.object({ id: z.uuid(), state: z.enum(['posted', 'waiting']) }),
  refusals: {
    404: { UserNotFound: 'User not found.' },
    409: {
      BalanceTooLow: 'The user’s available balance is too low.',
      TreasuryTooLow: 'The treasury does not have enough unreserved funds.',
    },
    422: {
      AmountInvalid: 'Enter an amount of the asset that is not zero and not larger than all balances.',
      AdjustmentDiffers: 'Another adjustment was made under this id.',
    },
  },
});

export const requestWriteOff = endpoint({
  feature: 'ledger',
  method: 'POST',
  url: '/api/ledger/write-offs',
  access: 'money.prepare',
  summary: 'Request that the treasury bears what a user owes; a second approver always decides',
  body: z.strictObject({
    /** Chosen by the client, so that a repeated request is the same write-off and not another one. */
    id: z.uuid(),
    user: z.uuid(),
    asset: TreasuryAsset,
    amount: z.string().max(40),
    reason: z.string().trim().min(1).max(500),
  }),
  answer: z.object({ id: z.uuid(), state: z.enum(['posted', 'waiting']) }),
  refusals: {
    404: { UserNotFound: 'User not found.' },
    409: { ReceivableTooLow: 'The user owes less than this amount.' },
    422: {
      AmountInvalid: 'Enter an amount above zero.',
      AdjustmentDiffers: 'Another adjustment was made under this id.',
    },
  },
});
