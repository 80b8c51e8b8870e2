import { z } from 'zod';
import { Waiting } from './approvals.ts';
import { Day, endpoint, Timestamp } from './core/endpoint.ts';
import { amount, Rate } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery, Search } from './core/paging.ts';

export type StakeStatus = z.output<typeof StakeStatus>;
export const StakeStatus = z.enum(['Active', 'Completed']);

export type Stake = z.output<typeof Stake>;
export const Stake = z.object({
  id: z.uuid(),
  /** The stake number. */
  stakeId: z.string(),
  user: z.string(),
  /** The id of the owner, for the link to the profile. */
  userUuid: z.uuid(),
  amount: amount('USD'),
  amountSOL: amount('SOL'),
  date: Timestamp,
  /** Such as "30 days". */
  duration: z.string(),
  dailyRate: Rate,
  endsOn: Day,
  completedAt: Timestamp.nullable(),
  status: StakeStatus,
  /** The owner's current figures. */
  solWalletAddress: z.string(),
  totalStaked: amount('USD'),
  totalDeposit: amount('USD'),
  walletBalance: amount('USD'),
  totalEarnings: amount('USD'),
});

export type StakeSort = z.output<typeof StakeSort>;
export const StakeSort = z.enum(['-date', 'date', 'amount', '-amount']);

export const listStakes = endpoint({
  feature: 'staking',
  method: 'GET',
  url: '/api/staking',
  access: 'platform.read',
  summary: 'List stakes a page at a time, newest first unless sorted otherwise',
  querystring: z.strictObject({
    ...pageQuery,
    status: StakeStatus.optional(),
    /** Part of the name, number, wallet or referral code of the user. */
    search: Search.optional(),
    user: z.uuid().optional(),
    sort: StakeSort.optional(),
  }),
  answer: z.object({ stakes: z.array(Stake), ...pageAnswer }),
  refusals: { 422: badCursor },
});

export const readStake = endpoint({
  feature: 'staking',
  method: 'GET',
  url: '/api/staking/:id',
  access: 'platform.read',
  summary: 'Read one stake',
  params: z.strictObject({ id: z.uuid() }),
  answer: z.object({ stake: Stake }),
  refusals: { 404: { StakeNotFound: 'This stake does not exist.' } },
});

export const readStakingFigures = endpoint({
  feature: 'staking',
  method: 'GET',
  url: '/api/staking/figures',
  access: 'platform.read',
  summary: 'Count the stakes by status, and sum what is staked',
  answer: z.object({
    total: z.int(),
    active: z.int(),
    completed: z.int(),
    /** The sum of all stakes, completed ones included. */
    totalStaked: amount('USD'),
    /** The sum of active stakes. */
    activeStaked: amount('USD'),
  }),
  refusals: {},
});

export type Plan = z.output<typeof Plan>;
export const Plan = z.object({
  id: z.uuid(),
  days: z.int(),
  dailyRate: Rate,
  /** Whether new stakes may choose it. Existing stakes keep it. */
  offered: z.boolean(),
  /** The pending request to offer it. */
  waiting: Waiting.nullable(),
  createdAt: Timestamp,
});

export const listPlans = endpoint({
  feature: 'staking',
  method: 'GET',
  url: '/api/staking/plans',
  access: 'platform.read',
  summary: 'List the plans, shortest first',
  answer: z.object({ plans: z.array(Plan) }),
  refusals: {},
});

const PlanDays = z.int().min(1).max(3_650);

export const createPlan = endpoint({
  feature: 'staking',
  method: 'POST',
  url: '/api/staking/plans',
  access: 'jobs.write',
  summary: 'Add a plan and request approval to offer it; its rate never changes',
  body: z.strictObject({ days: PlanDays, dailyRate: Rate }),
  answer: z.object({ plan: Plan }),
  refusals: { 409: { PlanExists: 'There is a plan with this duration and rate already.' } },
});

export const setPlanOffered = endpoint({
  feature: 'staking',
  method: 'POST',
  url: '/api/staking/plans/:id/offered',
  access: 'jobs.write',
  summary: 'Request an approval to offer a plan to new stakes, or stop offering it immediately',
  params: z.strictObject({ id: z.uuid() }),
  body: z.strictObject({ offered: z.boolean() }),
  answer: z.object({ plan: Plan }),
  refusals: { 404: { PlanNotFound: 'This plan does not exist.' } },
});
