import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { RunKind } from './run-kinds.ts';
import { Reason } from './runs-reasons.ts';

/** A run that a worker should be planning or paying, and that has made no progress for `stalledAfterMinutes`. */
export type Stall = z.output<typeof Stall>;
export const Stall = z.object({
  /** The time of the last progress. */
  since: Timestamp,
  why: Reason,
});

export const stalledAfterMinutes = 5;

export type StalledRun = z.output<typeof StalledRun>;
const StalledRun = Stall.extend({
  id: z.uuid(),
  kind: RunKind,
  period: z.string(),
  reverses: z.uuid().nullable(),
});

export const readActivity = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/activity',
  access: 'platform.read',
  summary: 'How many workers are alive, and which runs make no progress',
  answer: z.object({ workers: z.int(), stalled: z.array(StalledRun) }),
  refusals: {},
});
