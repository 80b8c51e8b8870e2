import { z } from 'zod';
import { endpoint, events } from './core/endpoint.ts';

/** Names what changed but carries no data: the client refetches it with its own permissions. */
export type LiveEvent = z.output<typeof LiveEvent>;
export const LiveEvent = z.object({
  /** A Feature, typed as a string because the server may be newer than the panel and know more of them. */
  feature: z.string(),
  /** The id of the changed item, or null if any item may have changed. */
  id: z.string().nullable(),
});

/** A new stream first repeats the changes of this period, so a client that has just read its data misses none. */
export const replayedMs = 30_000;

export const streamEvents = endpoint({
  feature: 'events',
  method: 'GET',
  url: '/api/events',
  access: 'platform.read',
  summary: 'Stream changes as they are committed',
  answer: events(LiveEvent),
  refusals: { 429: { TooManyStreams: 'This session has too many windows open.' } },
});
