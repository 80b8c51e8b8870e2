import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import {
  inboundBytes,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  resultsOf,
  ShownId,
  WrittenAmount,
} from './core/inbound.ts';
import { Rate } from './core/money.ts';

const { IdReused, UserUnknown, UserDeleted, AmountInvalid, TimeInvalid, BalanceTooLow } = itemRefusals;

export const stakeItemRefusals = {
  IdReused,
  UserUnknown,
  UserDeleted,
  AmountInvalid,
  TimeInvalid,
  BalanceTooLow,
  PlanNotOffered: 'No plan with these days and this rate is offered.',
  PlanAmbiguous: 'Several plans with these days are offered. Send the daily rate too.',
  PlacedTooLate: 'A payout that should include this stake is already planned or paid. Place it now instead.',
} as const;

export type StakeItem = z.output<typeof StakeItem>;
const StakeItem = z.strictObject({
  id: ShownId,
  user: ShownId,
  /** In dollars. */
  amount: WrittenAmount,
  /** What the user paid in for it, in SOL. */
  amountSol: WrittenAmount.default('0'),
  days: z.int().min(1).max(10_000),
  /** In percent. Needed only if several plans with these days are offered. */
  dailyRate: Rate.optional(),
  placedAt: Timestamp,
});

export const stakeEndRefusals = {
  IdReused: 'This stake ended early at another time.',
  StakeUnknown: 'No stake has this ID.',
  StakeCompleted: 'This stake was paid to its end.',
  TimeInvalid: 'The time must not be in the future, and not before the stake was placed.',
} as const;

export type StakeEnd = z.output<typeof StakeEnd>;
const StakeEnd = z.strictObject({
  /** The ID of the stake. */
  id: ShownId,
  endedAt: Timestamp,
});

export const placeStakes = endpoint({
  feature: 'staking',
  method: 'POST',
  url: '/api/platform/stakes',
  access: 'stakes:write',
  summary: 'Add stakes; their amounts move from available to staked',
  body: itemsOf(StakeItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(stakeItemRefusals),
  refusals: inboundRefusals,
});

export const endStakesEarly = endpoint({
  feature: 'staking',
  method: 'POST',
  url: '/api/platform/stakes/end',
  access: 'stakes:write',
  summary: 'End stakes early; their amounts are available again, and their loyalty goes to the treasury',
  body: itemsOf(StakeEnd),
  bodyBytes: inboundBytes,
  answer: resultsOf(stakeEndRefusals),
  refusals: inboundRefusals,
});
