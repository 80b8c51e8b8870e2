/* A plain model of runs: what must be true of balances, lines and states, without SQL, chunks in parallel or keys. */

export type Kind = 'stake-payout' | 'rank-bonus';
export type ModelRank = 'none' | 'Silver' | 'Gold';

export type PayoutSettings = { enabled: boolean; baseReward: number; bonusReward: number; loyaltyReward: number };
export type BonusSettings = { rank: 'Silver' | 'Gold'; bonusAmount: string };
export type Settings = { kind: 'stake-payout'; value: PayoutSettings } | { kind: 'rank-bonus'; value: BonusSettings };

/** Applies to all payments after `from`, until a later version does. */
type Version = Settings & { from: number };

export type Amounts = { base: bigint; bonus: bigint; loyalty: bigint; closing: bigint; returned: bigint };
export const nothing: Amounts = { base: 0n, bonus: 0n, loyalty: 0n, closing: 0n, returned: 0n };

export type Skip = 'deleted' | 'blacklisted' | 'paid' | 'nothing' | 'ended' | 'spent';
export type Line = Amounts & { user: string; cause: string; skip: Skip | null; dropped: Skip | null };
export type Chunk = { lines: Line[]; isPaid: boolean };

export type State = 'planning' | 'planned' | 'waiting' | 'running' | 'paused' | 'completed' | 'cancelled';

export type Run = {
  id: string;
  kind: Kind;
  period: string;
  day: string;
  asOf: number;
  settings: Settings;
  state: State;
  hasStarted: boolean;
  reverses: string | null;
  /** The only user whom the run pays or reverses. */
  onlyUser: string | null;
  /** Null until it is planned. */
  chunks: Chunk[] | null;
};

export type User = {
  id: string;
  ranks: { at: number; rank: ModelRank }[];
  isBlacklisted: boolean;
  isDeleted: boolean;
  available: bigint;
  staked: bigint;
  owed: bigint;
  stakeEarnings: bigint;
  rankBonuses: bigint;
};

export type Stake = {
  id: string;
  user: string;
  units: bigint;
  rate: number;
  placedOn: string;
  endsOn: string;
  isCompleted: boolean;
};

/** What was paid and not reversed. */
type Payment = Amounts & { run: string; user: string };

/** What a reversal could not take from a user or, below zero, what a run settled of it. */
type Receivable = { run: string; user: string; units: bigint };

export type Model = {
  now: number;
  /** Whether every run that moves money needs a second administrator. */
  isLimited: boolean;
  /** What a run collects at most from a user who owes something. */
  collects: bigint;
  users: User[];
  stakes: Stake[];
  versions: Version[];
  runs: Run[];
  payments: Map<string, Payment>;
  /** The payments that were reversed at least once. */
  everReversed: Set<string>;
  receivables: Receivable[];
  treasury: bigint;
  loyalty: bigint;
};

export const dayMs = 86_400_000;
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The payment that a line stands for, whichever run makes it. */
export const keyOf = ({ kind, period }: Pick<Run, 'kind' | 'period'>, { cause }: Pick<Line, 'cause'>) =>
  `${kind} ${period} ${cause}`;

export function userOf({ users }: Model, id: string) {
  const user = users.find((one) => one.id === id);
  if (!user) throw new Error(`The model has no user ${id}.`);
  return user;
}

export function runOf({ runs }: Model, id: string) {
  const run = runs.find((one) => one.id === id);
  if (!run) throw new Error(`The model has no run ${id}.`);
  return run;
}

export const rankAt = ({ ranks }: User, at: number) => ranks.findLast((one) => one.at < at)?.rank ?? 'none';

export const isLive = ({ state }: Run) => state !== 'completed' && state !== 'cancelled';

/** The lines that a run has posted. */
export const postedLines = ({ chunks }: Run) =>
  (chunks ?? []).flatMap(({ isPaid, lines }) =>
    isPaid ? lines.filter(({ skip, dropped }) => skip === null && dropped === null) : [],
  );

export const paidToUser = ({ base, bonus, closing }: Amounts) => base + bonus + closing;
