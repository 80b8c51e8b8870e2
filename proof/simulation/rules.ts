import {
  type Amounts,
  type BonusSettings,
  type Chunk,
  dayMs,
  keyOf,
  type Line,
  type Model,
  nothing,
  type PayoutSettings,
  postedLines,
  rankAt,
  type Run,
  runOf,
  type Skip,
  type Stake,
  userOf,
} from './model.ts';

/** The engine plans few lines in several chunks, so that a run can be stopped between two of them. */
export const linesInChunk = 2;

const byUserAndCause = (one: Line, other: Line) => (`${one.user}${one.cause}` < `${other.user}${other.cause}` ? -1 : 1);

/** Returns the chunks of the plan that a worker would make now. */
export function planOf(model: Model, run: Run): Chunk[] {
  const { considered, lines } = run.reverses === null ? paymentsOf(model, run) : reversalsOf(model, run);
  const chunks: Chunk[] = [];
  let rest = considered.toSorted();
  while (rest.length > 0) {
    const last = rest[linesInChunk - 1] ?? rest.at(-1) ?? '';
    const inChunk = lines.filter(({ user }) => rest.includes(user) && user <= last).toSorted(byUserAndCause);
    if (inChunk.length > 0) chunks.push({ lines: inChunk, isPaid: false });
    rest = rest.filter((user) => user > last);
  }
  return chunks;
}

type Plan = {
  /** The user of every line that the plan looks at. Chunks are cut by them. */
  considered: string[];
  lines: Line[];
};

function paymentsOf(model: Model, run: Run): Plan {
  const all =
    run.settings.kind === 'stake-payout'
      ? payouts(model, run, run.settings.value)
      : bonuses(model, run, run.settings.value);
  const lines = all.filter(({ user }) => run.onlyUser === null || run.onlyUser === user);
  return { considered: lines.map(({ user }) => user), lines };
}

function payouts(model: Model, run: Run, settings: PayoutSettings) {
  const { day } = run;
  return model.stakes
    .filter(({ placedOn, endsOn, isCompleted }) => placedOn < day && (!isCompleted || endsOn >= day))
    .map((stake): Line => {
      const amounts = payoutOf(model, run, { stake, settings });
      const line = { user: stake.user, cause: stake.id, dropped: null };
      const skip = skipOf(model, run, line) ?? (isEmpty(amounts) ? 'nothing' : null);
      return { ...line, ...(skip === null ? amounts : nothing), skip };
    });
}

const isEmpty = ({ base, bonus, loyalty, returned }: Amounts) => base + bonus + loyalty + returned === 0n;

/** The day of a stake: its shares are percentages of its reward, and its last day returns it with its loyalty. */
function payoutOf(
  model: Model,
  { day, asOf }: Run,
  { stake, settings }: { stake: Stake; settings: PayoutSettings },
): Amounts {
  const { units, rate, endsOn, isCompleted } = stake;
  const share = (percent: number) =>
    endsOn >= day ? (units * BigInt(rate) * BigInt(Math.round(percent * 100))) / 10_000_000_000n : 0n;
  const loyalty = share(settings.loyaltyReward);
  const completes = !isCompleted && endsOn <= day;
  const isRanked = rankAt(userOf(model, stake.user), asOf) !== 'none';
  return {
    base: share(settings.baseReward),
    bonus: isRanked ? share(settings.bonusReward) : 0n,
    loyalty,
    closing: completes ? loyalty + setAsideBefore(model, stake, day) : isCompleted ? loyalty : 0n,
    returned: completes ? units : 0n,
  };
}

function setAsideBefore({ payments }: Model, stake: Stake, day: string) {
  let units = 0n;
  for (let at = Date.parse(stake.placedOn); at < Date.parse(day); at += dayMs) {
    const period = new Date(at).toISOString().slice(0, 10);
    const paid = payments.get(keyOf({ kind: 'stake-payout', period }, { cause: stake.id }));
    if (paid) units += paid.loyalty - paid.closing;
  }
  return units;
}

function bonuses(model: Model, run: Run, { rank, bonusAmount }: BonusSettings) {
  const base = BigInt(Math.round(Number(bonusAmount) * 1_000_000));
  return model.users
    .filter((user) => !user.isDeleted && rankAt(user, run.asOf) === rank)
    .map(({ id }): Line => {
      const line = { user: id, cause: id, dropped: null };
      const skip = skipOf(model, run, line);
      return { ...line, ...nothing, base: skip === null ? base : 0n, skip };
    });
}

function skipOf(model: Model, run: Run, line: Pick<Line, 'user' | 'cause'>): Skip | null {
  const why = whyIneligible(model, line);
  if (why) return why;
  const paid = model.payments.get(keyOf(run, line));
  return paid && paid.base + paid.bonus + paid.loyalty > 0n ? 'paid' : null;
}

export function whyIneligible(model: Model, line: Pick<Line, 'user'>): Skip | null {
  const { isDeleted, isBlacklisted } = userOf(model, line.user);
  if (isDeleted) return 'deleted';
  return isBlacklisted ? 'blacklisted' : null;
}

/** Reverses what the run has paid and nobody has reversed yet. */
function reversalsOf(model: Model, run: Run): Plan {
  const target = runOf(model, run.reverses ?? '');
  const chosen = postedLines(target).filter(({ user }) => run.onlyUser === null || run.onlyUser === user);
  const paid = chosen.flatMap((line) => {
    const payment = model.payments.get(keyOf(target, line));
    return payment?.run === target.id ? [{ line, payment }] : [];
  });
  const lines = paid.map(({ line: { user, cause }, payment }): Line => {
    const { base, bonus, loyalty, closing, returned } = payment;
    const locked = paid.filter(({ line }) => line.user === user).reduce((sum, one) => sum + one.payment.returned, 0n);
    const skip = whyIrreversible(model, { user, cause, loyalty, returned, locked });
    const amounts = skip === null ? { base, bonus, loyalty, closing, returned } : nothing;
    return { user, cause, ...amounts, skip, dropped: null };
  });
  return { considered: chosen.map(({ user }) => user), lines };
}

type Reversing = Pick<Line, 'user' | 'cause' | 'loyalty' | 'returned'> & { locked: bigint };

/** The loyalty of a completed stake is paid out, and a stake that its owner has spent cannot be locked again. */
function whyIrreversible(model: Model, { user, cause, loyalty, returned, locked }: Reversing): Skip | null {
  const stake = model.stakes.find(({ id }) => id === cause);
  if (stake?.isCompleted && loyalty > 0n && returned === 0n) return 'ended';
  return returned > 0n && locked > userOf(model, user).available ? 'spent' : null;
}
