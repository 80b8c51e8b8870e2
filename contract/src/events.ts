import { z } from 'zod';
import { endpoint, events } from './core/endpoint.ts';

/** Says that something changed, never what it is now: the reader asks again with its own rights. */
export type LiveEvent = z.output<typeof LiveEvent>;
export const LiveEvent = z.object({
  /** A Feature; text, because a panel may be older than the server that speaks to it. */
  feature: z.string(),
  /** What changed, or null when everything may have. */
  id: z.string().nullable(),
});

/** A new stream first repeats the changes of this period, so a client that has just read its data misses none. */
export const replayedMs = 30_000;

export const streamEvents = endpoint({
  feature: 'events',
  method: 'GET',
  url: '/api/events',
  access: 'platform.read',
  summary: 'Be told of changes as they are committed',
  answer: events(LiveEvent),
  refusals: { 429: { TooManyStreams: 'This session has too many windows open.' } },
});
