import { z } from 'zod';
import { Day, endpoint } from './core/endpoint.ts';
import { rule } from './core/field-errors.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './core/paging.ts';

export type SkipReason = z.output<typeof SkipReason>;
export const SkipReason = z.enum(['blacklisted', 'deleted', 'paid', 'nothing', 'not-staked', 'spent', 'ended', 'late']);

export const skipText: Record<SkipReason, string> = {
  blacklisted: 'Blacklisted',
  deleted: 'Deleted',
  paid: 'Already paid',
  nothing: 'Below the smallest unit',
  'not-staked': 'Has not staked yet',
  spent: 'Already spent',
  ended: 'Stake ended',
  late: 'First stake is older than the period',
};

const Amount = z.string();

export type RunLine = z.output<typeof RunLine>;
export const RunLine = z.object({
  user: z.object({
    id: z.uuid(),
    /** The user number. */
    userId: z.string(),
    username: z.string(),
    isDeleted: z.boolean(),
  }),
  /** The number of the stake that the payment is for. Null if the run does not pay for stakes. */
  stakeId: z.string().nullable(),
  /** The last day of that stake. */
  endsOn: Day.nullable(),
  /** The id of the stake, of the referred user (referral check), or else of the paid user. */
  cause: z.uuid(),
  /** The stake, the shares, the first stake of the referred user, or the bonus. */
  input: Amount,
  /** The stake's daily rate in parts per million. */
  rate: z.int(),
  ranked: z.boolean(),
  base: Amount,
  bonus: Amount,
  loyalty: Amount,
  closing: Amount,
  completes: z.boolean(),
  skip: SkipReason.nullable(),
  /** Whether the plan pays the line, but it was skipped at payment, for the reason in `skip`. */
  isSkippedSince: z.boolean(),
  paid: z.boolean(),
  /** Whether this payment was made and later reversed. */
  reversed: z.boolean(),
});

export const RunNotFound = 'There is no such run.';

export type LineSort = z.output<typeof LineSort>;
export const LineSort = z.enum(['user', '-user', 'amount', '-amount']);

/** An unsigned amount in the asset of the run. USD and GMP both have six decimals. */
const AmountBound = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, rule('must be an amount without a sign, with at most 6 decimals'));

export const listRunLines = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/:id/lines',
  access: 'platform.read',
  summary: 'List the payments of a run’s plan a page at a time, by user unless sorted otherwise',
  params: z.strictObject({ id: z.uuid() }),
  querystring: z.strictObject({
    ...pageQuery,
    skip: SkipReason.optional(),
    user: z.uuid().optional(),
    /** Part of the name, number, wallet or referral code of the user. */
    search: Search.optional(),
    /** Both inclusive, so equal bounds find exactly that amount. */
    minAmount: AmountBound.optional(),
    maxAmount: AmountBound.optional(),
    /** `user` sorts by the time at which users joined. */
    sort: LineSort.optional(),
  }),
  answer: z.object({ lines: z.array(RunLine), ...pageAnswer }),
  refusals: {
    404: { RunNotFound },
    422: {
      ...badCursor,
      TooManyUsers: 'More than 1,000 users match. Enter more of the username, user ID or wallet.',
    },
  },
});
