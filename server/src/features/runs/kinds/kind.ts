import type { Account } from 'contract/ledger.ts';
import type { RunKind } from 'contract/run-kinds.ts';
import type { Asset } from 'contract/core/money.ts';
import type { RawBuilder } from 'kysely';
import type { Tx } from '#server/core/db/db.ts';
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

/** What is read once for all lines, in the moment of the plan; amounts as text. */
export type Inputs = Record<string, string>;

/** How a kind of run is planned, as set-based SQL. The same rule stands as plain arithmetic in contract/formulas.ts. */
export type Plan = {
  /** Read once, before the lines. */
  inputsOf: (tx: Tx, run: Planning) => Promise<Inputs>;
  /** `select user_id` of every line to come after a user, in order: where a chunk ends is found on it. */
  people: (run: Planning, after: string) => RawBuilder<{ userId: string }>;
  /**
   * The lines of a range: the columns of `lineColumns`. What is computed once for a line and looked at often stands in
   * a subquery with an offset, or it would be computed as often.
   */
  lines: (run: Planning, range: Range, inputs: Inputs) => RawBuilder<unknown>;
};

/** What a kind of run posts for a line, and the account that the treasury funds for it. */
export type Payment = { asset: Asset; moves: Move[]; funds: Account };

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
