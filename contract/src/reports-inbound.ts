import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import {
  inboundBytes,
  inboundRefusals,
  itemRefusals,
  itemsOf,
  PlatformId,
  resultsOf,
  ShownId,
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
  user: ShownId,
  type: z.enum([...Action.options, ...Interaction.options]),
  at: Timestamp,
});

export const storeActivity = endpoint({
  feature: 'reports',
  method: 'POST',
  url: '/api/platform/activity',
  access: 'activity:write',
  summary: 'Count what users do; events are at most seven days old',
  body: itemsOf(ActivityItem),
  bodyBytes: inboundBytes,
  answer: resultsOf(activityItemRefusals),
  refusals: inboundRefusals,
});
