import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import {
  inboundLimits,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  OwnerId,
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
  id: ShownId.describe("The platform's own ID of the stake. Sent again, it is the same stake."),
  user: OwnerId,
  amount: WrittenAmount.describe('In dollars, with at most 6 decimals.'),
  amountSol: WrittenAmount.default('0').describe('What the user paid in for it, in SOL.'),
  days: z.int().min(1).max(10_000).describe('The days of an offered plan.'),
  dailyRate: Rate.optional().describe('In percent. Needed only if several plans with these days are offered.'),
  placedAt: Timestamp.describe('When the user placed it, in UTC. It earns from the next day.'),
});

export const stakeEndRefusals = {
  IdReused: 'This stake ended early at another time.',
  StakeUnknown: 'No stake has this ID.',
  StakeCompleted: 'This stake has already completed.',
  StakeMatured: 'This stake reached its last day before that. It completes when that day is paid.',
  TimeInvalid: 'The time must not be in the future, and not before the stake was placed.',
} as const;

export type StakeEnd = z.output<typeof StakeEnd>;
const StakeEnd = z.strictObject({
  id: ShownId.describe('The ID under which the stake was sent.'),
  endedAt: Timestamp.describe('When the user ended it, in UTC.'),
});

export const placeStakes = endpoint({
  feature: 'staking',
  method: 'POST',
  url: '/api/platform/stakes',
  access: 'stakes:write',
  summary: 'Add stakes; their amounts move from available to staked',
  body: itemsOf(StakeItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(stakeItemRefusals),
  refusals: inboundRefusals,
  example: {
    body: {
      items: [
        { id: 'stake-301', user: 'U10000001', amount: '40', days: 30, placedAt: '2026-03-01T09:50:00Z' },
        { id: 'stake-302', user: 'U10000001', amount: '20', days: 30, placedAt: '2026-03-01T09:52:00Z' },
      ],
    },
    answer: {
      results: [
        { id: 'stake-301', outcome: 'stored' },
        { id: 'stake-302', outcome: 'stored' },
      ],
    },
  },
});

export const endStakesEarly = endpoint({
  feature: 'staking',
  method: 'POST',
  url: '/api/platform/stakes/end',
  access: 'stakes:write',
  summary: 'End stakes early; their amounts are available again, and their loyalty goes to the treasury',
  body: itemsOf(StakeEnd),
  bodyLimits: inboundLimits,
  answer: resultsOf(stakeEndRefusals),
  refusals: inboundRefusals,
  example: {
    body: { items: [{ id: 'stake-302', endedAt: '2026-03-01T10:00:00Z' }] },
    answer: { results: [{ id: 'stake-302', outcome: 'stored' }] },
  },
});
