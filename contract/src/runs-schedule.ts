import { z } from 'zod';
import { endpoint, Timestamp } from './core/endpoint.ts';
import { Asset } from './core/money.ts';
import { RunKind } from './run-kinds.ts';
import { Reversed, RunState } from './run-states.ts';
import { Reason } from './runs-reasons.ts';

const RunMark = z.object({
  id: z.uuid(),
  period: z.string(),
  state: RunState,
  reversed: Reversed,
  reverses: z.uuid().nullable(),
});

/** A run that somebody has to look at before the schedule goes on. */
export type BlockedSchedule = z.output<typeof BlockedSchedule>;
const BlockedSchedule = z.object({
  run: RunMark,
  /** When it ended; of one that is not over, when it started or was planned. */
  since: Timestamp,
  why: Reason.nullable(),
  /** What leads on: the run itself, or another plan of what it was to pay. */
  nextAction: z.enum(['approve', 'start', 'resume', 'retry', 'plan']),
  /** The request that a second approver decides. */
  approval: z.uuid().nullable(),
  /** How many days wait behind it; of a distribution, how often it was due and did not happen meanwhile. */
  waiting: z.int(),
});

export type ScheduledJob = z.output<typeof ScheduledJob>;
const ScheduledJob = z.object({
  job: RunKind,
  enabled: z.boolean(),
  /** Null where it is not enabled, or something stands in the way. */
  nextRun: Timestamp.nullable(),
  /** Above this a second approver approves it; up to it, what is due starts by itself. */
  limit: z.object({ amount: z.string(), asset: Asset }),
  blockedSchedule: BlockedSchedule.nullable(),
});

export const readSchedule = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/schedule',
  access: 'platform.read',
  summary: 'When each scheduled job is due next, or what blocks it',
  answer: z.object({ schedule: z.array(ScheduledJob) }),
  refusals: {},
});

export type CalendarEntry = z.output<typeof CalendarEntry>;
export const CalendarEntry = z.object({
  kind: RunKind,
  /** When it was due; of one that was started by hand, when it was planned. */
  at: Timestamp,
  outcome: z.enum(['fired', 'by-hand', 'skipped', 'overlapped', 'missed', 'waiting', 'coming']),
  /** The run that it became; of what waits, the run behind which it does. */
  run: RunMark.nullable(),
  why: Reason.nullable(),
});
