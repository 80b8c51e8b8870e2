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

/** A run that needs an administrator before the schedule can continue. */
export type BlockedSchedule = z.output<typeof BlockedSchedule>;
const BlockedSchedule = z.object({
  run: RunMark,
  /** When the run ended or, if it has not, when it was started or planned. */
  since: Timestamp,
  why: Reason.nullable(),
  /** What unblocks the schedule: acting on the run, or planning its period again (`plan`). */
  nextAction: z.enum(['approve', 'start', 'resume', 'retry', 'plan']),
  /** The pending approval request. */
  approval: z.uuid().nullable(),
  /** The number of days waiting behind it or, for a distribution, of occurrences skipped because of it. */
  waiting: z.int(),
});

export type ScheduledJob = z.output<typeof ScheduledJob>;
const ScheduledJob = z.object({
  job: RunKind,
  enabled: z.boolean(),
  /** Null if the job is disabled or its schedule is blocked. */
  nextRun: Timestamp.nullable(),
  /** Scheduled runs up to this amount start automatically. Above it, an administrator must start them. */
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
  /** When the run was due or, for a manual run, when it was planned. */
  at: Timestamp,
  outcome: z.enum(['triggered', 'manual', 'skipped', 'overlapped', 'missed', 'waiting', 'coming']),
  /** The run that was created for it or, if it is waiting, the run that blocks it. */
  run: RunMark.nullable(),
  why: Reason.nullable(),
  /** Whether it was missed and its period is unpaid and not archived, so that an administrator can plan it. */
  isPlannable: z.boolean(),
});
