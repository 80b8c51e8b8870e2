import type { RunKind } from 'contract/run-kinds.ts';
import type { Recurrence } from 'contract/recurrence.ts';
import type { RawBuilder } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { Move } from '#server/core/ledger/lines.ts';
import type { Range } from '../store/ranges.ts';

/** The fields of a run from which its lines are computed. */
export type Planning = {
  id: string;
  kind: RunKind;
  period: string;
  day: string;
  part: number;
  settings: unknown;
  /** The time whose facts the lines use. */
  asOf: Date;
  reverses: string | null;
  /** The only user whom the run pays. */
  onlyUser: string | null;
};

/** Values that are read once for all lines, in the snapshot of the plan. Amounts are text. */
export type Inputs = Record<string, string>;

/** Plans a kind of run with set-based SQL. contract/formulas.ts has the same rules as plain arithmetic. */
export type Plan = {
  /** Read once, before the lines. */
  inputsOf: (tx: Tx, run: Planning) => Promise<Inputs>;
  /** Selects the user of every line after a user, in order. The end of a chunk is found with it. */
  users: (run: Planning, after: string, inputs: Inputs) => RawBuilder<{ userId: string }>;
  /**
   * Selects the lines of a range, with the columns of `lineColumns`. A value that is used several times is computed in
   * a subquery with an offset, which keeps the planner from computing it at each use.
   */
  lines: (run: Planning, range: Range, inputs: Inputs) => RawBuilder<unknown>;
};

export type Period = { period: string; day: string };

/** A period to pay, and the time whose rules and facts its first payment uses. */
export type DuePeriod = Period & { asOf: Date };

/** When a kind is due, and what happens to missed occurrences. */
export type Schedule = {
  recurrence: (settings: unknown) => Recurrence & { enabled: boolean };
} & (
  | {
      /** Every period is paid, one after the other; the first unpaid one blocks those after it. */
      catchUp: 'every-period';
      /** The first one is paid next. */
      unpaidPeriods: (db: Db, now: Date) => Promise<string[]>;
      periodOf: (period: string) => DuePeriod;
      dueAt: (period: string) => Date;
    }
  | {
      /** Only the latest period is caught up; administrators decide about earlier ones. */
      catchUp: 'latest';
      periodAt: (at: Date, settings: unknown) => Period;
    }
);

/** All rules of one kind of run. Nothing outside this folder compares a kind by its name. */
export type JobKind = {
  plan: Plan;
  /** The transfers that are posted for a line. */
  moves: readonly Move[];
  /** Whether the cause of a payment is another user, who must be eligible as well. */
  causeIsUser: boolean;
  /** The period that a run planned by an administrator now would pay. Refuses if nothing is due. */
  periodToPay: (tx: Tx, given: { settings: unknown; now: Date }) => Promise<DuePeriod>;
  /** Whether the period of a run that has ended is not fully paid. */
  hasUnpaidPeriod: (db: Db, run: { period: string }) => Promise<boolean>;
  /** Whether settings that were saved later are meant for the same payments as those of an earlier run. */
  isForSamePayments: (saved: unknown, used: unknown) => boolean;
  /** Whether a period that was paid in part is completed with the settings it was started with. */
  keepsSettings: boolean;
  /** The number of earlier attempts at a day. Without one, nothing of it can have been paid or reversed. */
  countAttempts: (tx: Tx, day: string) => Promise<number>;
  /**
   * The earliest time for whose period an administrator may plan a run. It is now if periods are paid in order, or if a
   * run looks back from now: an earlier time would bring back rules that two administrators have replaced since.
   */
  plannableFrom: (now: Date) => Date;
  /** Null if only administrators plan it. */
  schedule: Schedule | null;
};

/** The last three are not stored in a line: they account for the rest of the budget. */
export const lineColumns = [
  'user_id',
  'cause_id',
  'part',
  'input',
  'rate_ppm',
  'ranked',
  'base',
  'bonus',
  'loyalty',
  'closing',
  'completes',
  'skip',
  'budget',
  'unranked',
  'unshared',
] as const;
