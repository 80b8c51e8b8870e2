import { z } from 'zod';
import { endpoint } from './core/endpoint.ts';
import {
  HappenedAt,
  inboundLimits,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  OwnerId,
  PlatformId,
  resultsOf,
} from './core/inbound.ts';
import { Action, Interaction } from './reports.ts';

const { IdReused, UserUnknown, UserDeleted, TimeInvalid } = itemRefusals;

/** Events are told from duplicates for this long; older ones are refused. */
export const activityDays = 7;

export const activityItemRefusals = {
  IdReused,
  UserUnknown,
  UserDeleted,
  TimeInvalid,
  TooOld: 'The event is older than seven days.',
} as const;

export type ActivityItem = z.output<typeof ActivityItem>;
const ActivityItem = z.strictObject({
  id: PlatformId,
  user: OwnerId,
  type: z.enum([...Action.options, ...Interaction.options]),
  at: HappenedAt.describe('When it happened, in UTC: at most seven days ago.'),
});

export const storeActivity = endpoint({
  feature: 'reports',
  method: 'POST',
  url: '/api/platform/activity',
  access: 'activity:write',
  summary: 'Count what users do; events are at most seven days old',
  body: itemsOf(ActivityItem),
  bodyLimits: inboundLimits,
  answer: resultsOf(activityItemRefusals),
  refusals: inboundRefusals,
  example: {
    body: {
      items: [
        { id: 'event-500001', user: 'U10000001', type: 'Login', at: '2026-03-01T10:25:00Z' },
        { id: 'event-500002', user: 'U10000001', type: 'Browsing', at: '2026-03-01T10:26:00Z' },
      ],
    },
    answer: {
      results: [
        { id: 'event-500001', outcome: 'stored' },
        { id: 'event-500002', outcome: 'stored' },
      ],
    },
  },
});
