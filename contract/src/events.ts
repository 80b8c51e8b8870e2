import { z } from 'zod';
import { endpoint, events, Room } from './endpoint.ts';

/** Says that something changed, never what it is now: the reader asks again with its own rights. */
export type LiveEvent = z.output<typeof LiveEvent>;
export const LiveEvent = z.object({
  room: Room,
  /** What changed, or null when everything may have. */
  id: z.string().nullable(),
});

export const streamEvents = endpoint({
  room: 'events',
  method: 'GET',
  url: '/api/events',
  access: 'admins.read',
  summary: 'Be told of changes as they are committed',
  answer: events(LiveEvent),
  refusals: {},
});
