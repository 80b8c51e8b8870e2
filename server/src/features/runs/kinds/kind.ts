import type { RunKind } from 'contract/run-kinds.ts';
import type { Recurrence } from 'contract/recurrence.ts';
import type { RawBuilder } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';
import type { Move } from '#server/core/ledger/lines.ts';
import type { Range } from '../store/ranges.ts';

/** A run while it is planned: what its lines follow from. */
export type Planning = {
  id: string;
  kind: RunKind;
  period: string;
  day: string;
  part: number;
  settings: unknown;
  reverses: string | null;
};

/** What is read once for all lines, in the snapshot of the plan; amounts as text. */
export type Inputs = Record<string, string>;

/** How a kind of run is planned, as set-based SQL. The same rule stands as plain arithmetic in contract/formulas.ts. */
export type Plan = {
  /** Read once, before the lines. */
  inputsOf: (tx: Tx, run: Planning) => Promise<Inputs>;
  /** `select user_id` of every line to come after a user, in order: where a chunk ends is found on it. */
  users: (run: Planning, after: string) => RawBuilder<{ userId: string }>;
  /**
   * The lines of a range: the columns of `lineColumns`. What is computed once for a line and looked at often stands in
   * a subquery with an offset, or it would be computed as often.
   */
  lines: (run: Planning, range: Range, inputs: Inputs) => RawBuilder<unknown>;
};

export type Period = { period: string; day: string };

/** When a kind is due, and what happens with times at which nobody planned it. */
export type Schedule = {
  recurrence: (settings: unknown) => Recurrence & { enabled: boolean };
} & (
  | {
      /** Every period is paid, one after the other; the first unpaid one blocks those after it. */
      catchUp: 'every-period';
      /** The first is the one to pay next. */
      unpaidPeriods: (db: Db, now: Date) => Promise<string[]>;
      dueAt: (period: string) => Date;
    }
  | {
      /** Only the latest period is made up for; administrators decide about those before it. */
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
  /** The period that a run planned by an administrator now would pay. Refuses where nothing is due. */
  periodToPay: (tx: Tx, given: { settings: unknown; now: Date }) => Promise<Period>;
  /** Whether the period of a run that has ended is not fully paid. */
  hasUnpaidPeriod: (db: Db, run: { period: string }) => Promise<boolean>;
  /** Whether settings that were saved later are meant for the same payments as those of an earlier run. */
  isForSamePayments: (saved: unknown, used: unknown) => boolean;
  /** Whether a period that was paid in part is completed with the settings it was started with. */
  keepsSettings: boolean;
  /** The number that tells the payments of several attempts at a day apart. */
  partOf: (tx: Tx, day: string) => Promise<number>;
  /** Null where only an administrator plans it. */
  schedule: Schedule | null;
};

/** Of these the last three are no part of a line: they say where the rest of the budget stays. */
export const lineColumns = [
  'user_id',
  'cause_id',
  'part',
  'input',
  'rate_bp',
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
