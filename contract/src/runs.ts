import { z } from 'zod';
import { Day, endpoint, Timestamp } from './core/endpoint.ts';
import { RunKind } from './run-kinds.ts';
import { Asset } from './core/money.ts';
import { badCursor, pageAnswer, pageQuery } from './core/paging.ts';
import { Stall } from './runs-activity.ts';
import { RunLine, RunNotFound, SkipReason } from './runs-lines.ts';
import { ChunkFailure, Reason } from './runs-reasons.ts';
import { CalendarEntry } from './runs-schedule.ts';
import { Reversed, RunState, ShownState } from './run-states.ts';

const Amount = z.string();

export type Run = z.output<typeof Run>;
export const Run = z.object({
  id: z.uuid(),
  kind: RunKind,
  /** What the run pays for: a day, a week and rank, or the time of a check. */
  period: z.string(),
  day: Day,
  asset: Asset,
  state: RunState,
  reversed: Reversed,
  /** Why it is paused, failed, canceled or refused. */
  why: Reason.nullable(),
  reverses: z.uuid().nullable(),
  /** Why the other run is reversed. */
  reason: z.string().nullable(),
  /** The only user whom it pays, after a reversal for that user. */
  onlyUser: z.uuid().nullable(),
  settingsVersion: z.int(),
  planHash: z.string().nullable(),
  lines: z.int(),
  skipped: z.int(),
  /** Amounts are unsigned: in a reversal they are the reversed amounts. */
  budget: Amount,
  pays: Amount,
  setsAside: Amount,
  keeps: Amount,
  releases: Amount,
  /** Stakes that are returned to their owners or, in a reversal, locked again. */
  returned: Amount,
  /** Null if the schedule planned it. */
  plannedBy: z.string().nullable(),
  createdAt: Timestamp,
  plannedAt: Timestamp.nullable(),
  startedBy: z.string().nullable(),
  approvedBy: z.string().nullable(),
  startedAt: Timestamp.nullable(),
  endedAt: Timestamp.nullable(),
});

/** What was posted, not what was planned. */
const outcome = { paidLines: z.int(), paid: Amount };

export type ListedRun = z.output<typeof ListedRun>;
const ListedRun = Run.extend({
  ...outcome,
  /** What is paid for its period after all payments and reversals. */
  net: Amount,
});

/** Read from the chunks, so it is always exact. */
const Progress = z.object({
  chunks: z.int(),
  paidChunks: z.int(),
  ...outcome,
  transfers: z.int(),
  /** What was planned and skipped at payment, because the user had become ineligible. */
  skippedSince: z.object({ lines: z.int(), amount: Amount }),
  /** What users had spent and owe since this reversal, or what this run settled of what they owed. */
  receivables: z.object({ users: z.int(), amount: Amount }),
  /** What is still to be paid. */
  open: z.object({ chunks: z.int(), lines: z.int(), amount: Amount }),
  /** Over the last ten seconds. */
  linesPerSecond: z.number(),
});

const texts = {
  RunNotFound,
  RunUnderWay: 'Another run of this job is active. Wait for it to finish, or cancel it.',
  NothingDue: 'There is nothing to pay: every period up to now is paid.',
  RunChanged: 'This run has changed. Check it again.',
  RunOver: 'This run has already ended.',
  LinesArchived: 'The payments of this period are archived, so it cannot be paid again or reversed.',
} as const;

type Moved = { pays: bigint; setsAside: bigint; releases: bigint; returned: bigint; reverses: string | null };

/**
 * Returns the amount that is compared with the approval limit. Returned stakes count only in a reversal: returning a
 * stake gives users their own money, but locking it again takes it from them.
 */
export const movedBy = ({ pays, setsAside, releases, returned, reverses }: Moved) =>
  pays + setsAside + releases + (reverses === null ? 0n : returned);

export const listRuns = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs',
  access: 'platform.read',
  summary: 'List runs a page at a time, newest first',
  querystring: z.strictObject({ ...pageQuery, kind: RunKind.optional(), state: ShownState.optional() }),
  answer: z.object({ runs: z.array(ListedRun), ...pageAnswer }),
  refusals: { 422: badCursor },
});

const RunId = z.strictObject({ id: z.uuid() });

/** A run that moved money for a period. Its amount is unsigned. */
export type PeriodRun = z.output<typeof PeriodRun>;
const PeriodRun = z.object({
  id: z.uuid(),
  state: RunState,
  reversed: Reversed,
  reverses: z.uuid().nullable(),
  ...outcome,
});

/** When the lines of old runs were moved to a file. */
export type LineArchive = z.output<typeof LineArchive>;
export const LineArchive = z.object({ file: z.string(), at: Timestamp });

export type RunDetail = z.output<typeof RunDetail>;
export const RunDetail = z.object({
  run: Run,
  progress: Progress,
  /** What stays in the treasury, and why. */
  kept: z.object({ unranked: Amount, withheld: Amount, unshared: Amount, rounded: Amount }),
  skips: z.array(z.object({ reason: SkipReason, lines: z.int() })),
  largest: z.array(RunLine),
  /** The last completed run of this job before this one. */
  before: z.object({ id: z.uuid(), period: z.string(), lines: z.int(), pays: Amount, releases: Amount }).nullable(),
  /** The newest run that reversed its payments to everyone. */
  reversedBy: z.uuid().nullable(),
  /** All runs that paid or reversed its period, oldest first, and what is paid after them. */
  period: z.object({ runs: z.array(PeriodRun), net: Amount }),
  /** Whether the run is over but its period is not fully paid. */
  hasUnpaidPeriod: z.boolean(),
  /** The pending approval request. */
  approval: z.uuid().nullable(),
  /** Who denied the approval request, and why. Null unless it was denied. */
  denial: z.object({ by: z.string(), reason: z.string() }).nullable(),
  /** Whether the treasury covers the run together with all others that are started. Null for a run that is over. */
  cover: z.object({ treasury: Amount, reserved: Amount, needed: Amount }).nullable(),
  /** Who requested and who approved the start, also if the run was then refused. Null without a request. */
  request: z.object({ by: z.string(), approvedBy: z.string().nullable() }).nullable(),
  /** What the caller may move in a day without a second approver, and has moved today. */
  alone: z.object({ limit: Amount, usedToday: Amount }),
  /** The settings that it uses, as they were saved. */
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  /** The inputs common to all lines, such as the pool and the total of shares. */
  inputs: z.record(z.string(), z.string()),
  /** What it collects at most from a user who owes something. */
  collects: Amount,
  /** Set if a worker should be planning or paying it and it has made no progress for some minutes. */
  stalled: Stall.nullable(),
  errors: z.array(z.object({ chunk: z.int(), failures: z.int(), failure: ChunkFailure })),
  /** The file that has its lines, if they are no longer in the database. */
  archive: LineArchive.nullable(),
});

export const readRun = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/:id',
  access: 'platform.read',
  summary: 'Read one run: its plan, progress and result',
  params: RunId,
  answer: RunDetail,
  refusals: { 404: { RunNotFound: texts.RunNotFound } },
});

export const planRun = endpoint({
  feature: 'runs',
  movesMoney: true,
  method: 'POST',
  url: '/api/runs',
  access: 'money.prepare',
  summary: 'Plan the next run of a job, or that of a past period. Nothing is paid',
  body: z.strictObject({
    kind: RunKind,
    /** A time in the period to pay, whose rules apply. Without it, the period that is due now is planned. */
    at: Timestamp.optional(),
  }),
  answer: z.object({ run: Run }),
  refusals: {
    409: { RunUnderWay: texts.RunUnderWay, NothingDue: texts.NothingDue, LinesArchived: texts.LinesArchived },
  },
});

export const replan = endpoint({
  feature: 'runs',
  movesMoney: true,
  method: 'POST',
  url: '/api/runs/:id/replan',
  access: 'money.prepare',
  summary: 'Plan the period of a finished run again, without users who were already paid. Nothing is paid',
  params: RunId,
  answer: z.object({ run: Run }),
  refusals: {
    404: { RunNotFound: texts.RunNotFound },
    409: { RunUnderWay: texts.RunUnderWay, NothingDue: texts.NothingDue, LinesArchived: texts.LinesArchived },
  },
});

export const replanUser = endpoint({
  feature: 'runs',
  movesMoney: true,
  method: 'POST',
  url: '/api/runs/:id/users/:user/replan',
  access: 'money.prepare',
  summary: 'Plan what a run paid to one user and what was reversed for this user again. Nothing is paid',
  params: z.strictObject({ id: z.uuid(), user: z.uuid() }),
  answer: z.object({ run: Run }),
  refusals: {
    404: { RunNotFound: texts.RunNotFound },
    409: {
      RunUnderWay: texts.RunUnderWay,
      LinesArchived: texts.LinesArchived,
      UserNotReversed: 'Nothing that this run paid to this user has been reversed.',
    },
  },
});

export const startRun = endpoint({
  feature: 'runs',
  movesMoney: true,
  method: 'POST',
  url: '/api/runs/:id/start',
  access: 'money.prepare',
  summary: 'Pay exactly what was planned; above the limit, request an approval',
  params: RunId,
  /** The hash of the plan that the caller reviewed. */
  body: z.strictObject({ planHash: z.string().max(100) }),
  answer: z.object({ run: Run }),
  refusals: {
    404: { RunNotFound: texts.RunNotFound },
    409: {
      RunChanged: texts.RunChanged,
      RunOver: texts.RunOver,
    },
  },
});

export const steerRun = endpoint({
  feature: 'runs',
  movesMoney: true,
  method: 'POST',
  url: '/api/runs/:id/steer',
  access: 'money.prepare',
  summary: 'Pause, resume, retry or cancel a run between two chunks',
  params: RunId,
  body: z.strictObject({ step: z.enum(['pause', 'resume', 'retry', 'cancel']) }),
  answer: z.object({ run: Run }),
  refusals: { 404: { RunNotFound: texts.RunNotFound }, 409: { RunChanged: texts.RunChanged, RunOver: texts.RunOver } },
});

export const reverseRun = endpoint({
  feature: 'runs',
  movesMoney: true,
  method: 'POST',
  url: '/api/runs/:id/reverse',
  access: 'money.prepare',
  summary: 'Plan the run that reverses this one, or what it paid to one user. Nothing is moved yet',
  params: RunId,
  body: z.strictObject({ reason: z.string().trim().min(1).max(500), user: z.uuid().optional() }),
  answer: z.object({ run: Run }),
  refusals: {
    404: { RunNotFound: texts.RunNotFound },
    409: {
      RunUnderWay: texts.RunUnderWay,
      RunChanged: texts.RunChanged,
      LinesArchived: texts.LinesArchived,
      ReversalIsFinal: 'A reversal cannot be reversed. Plan the period again instead.',
      NothingToReverse: 'This run paid nothing, so there is nothing to reverse.',
      AlreadyReversed: 'This run has already been fully reversed.',
      UserNotPaid: 'This run paid nothing to this user.',
      UserAlreadyReversed: 'Everything that this run paid to this user has already been reversed.',
    },
  },
});

export const readCalendar = endpoint({
  feature: 'runs',
  method: 'GET',
  url: '/api/runs/calendar',
  access: 'platform.read',
  summary: 'List the runs that were due between two days in UTC with their outcome, and those scheduled, by time',
  /** Both inclusive; at most 62 days. */
  querystring: z.strictObject({ from: Day, to: Day }),
  answer: z.object({ entries: z.array(CalendarEntry) }),
  refusals: { 422: { TooLong: 'Request at most 62 days.' } },
});
