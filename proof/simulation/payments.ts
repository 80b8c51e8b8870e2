import { type Chunk, keyOf, type Line, type Model, paidToUser, type Run, runOf, userOf } from './model.ts';
import { whyIneligible } from './rules.ts';

/** Pays the next chunk of a run, or reverses its payments. */
export function payChunk(model: Model, run: Run) {
  const chunk = run.chunks?.find(({ isPaid }) => !isPaid);
  if (!chunk) throw new Error(`The model has nothing left to pay for ${run.id}.`);
  for (const line of chunk.lines) {
    if (line.skip === null) line.dropped = run.reverses === null ? whyIneligible(model, line) : null;
  }
  if (run.reverses !== null) dropSpent(model, chunk);
  chunk.isPaid = true;
  const kept = chunk.lines.filter(({ skip, dropped }) => skip === null && dropped === null);
  if (run.reverses === null) {
    for (const line of kept) pay(model, run, line);
    settle(model, run, kept);
  } else {
    book(model, run, kept);
    for (const line of kept) reversePayment(model, run, line);
  }
}

/** A stake that its owner has spent since the plan is not locked again. */
function dropSpent(model: Model, { lines }: Chunk) {
  for (const line of lines) {
    if (line.skip !== null || line.returned === 0n) continue;
    const ofUser = lines.filter(({ user, skip }) => user === line.user && skip === null);
    const locked = ofUser.reduce((sum, { returned }) => sum + returned, 0n);
    if (locked > userOf(model, line.user).available) line.dropped = 'spent';
  }
}

function pay(model: Model, run: Run, line: Line) {
  move(model, run, { line, sign: 1n });
  const { base, bonus, loyalty, closing, returned, user } = line;
  model.payments.set(keyOf(run, line), { base, bonus, loyalty, closing, returned, run: run.id, user });
  complete(model, line, true);
}

function reversePayment(model: Model, run: Run, line: Line) {
  move(model, run, { line, sign: -1n });
  model.payments.delete(keyOf(run, line));
  model.everReversed.add(keyOf(run, line));
  complete(model, line, false);
}

function move(model: Model, { kind }: Run, { line, sign }: { line: Line; sign: bigint }) {
  const user = userOf(model, line.user);
  const paid = sign * paidToUser(line);
  user.available += paid + sign * line.returned;
  user.staked -= sign * line.returned;
  if (kind === 'stake-payout') user.stakeEarnings += paid;
  else user.rankBonuses += paid;
  model.treasury -= sign * (line.base + line.bonus + line.loyalty);
  model.loyalty += sign * (line.loyalty - line.closing);
}

function complete(model: Model, { cause, returned }: Line, isCompleted: boolean) {
  const stake = model.stakes.find(({ id }) => id === cause);
  if (stake && returned > 0n) stake.isCompleted = isCompleted;
}

const byUser = (lines: Line[]) => [...Map.groupBy(lines, ({ user }) => user)];

/** A user who has spent what a reversal takes owes the rest. */
function book(model: Model, run: Run, kept: Line[]) {
  for (const [id, lines] of byUser(kept)) {
    const user = userOf(model, id);
    const missing = lines.reduce((sum, line) => sum + paidToUser(line) + line.returned, 0n) - user.available;
    if (missing <= 0n) continue;
    model.receivables.push({ run: run.id, user: id, units: missing });
    user.owed += missing;
    user.available += missing;
  }
}

/**
 * What a user owes since a payment was reversed is settled when the same payment is made again, and is collected from
 * other payments up to a limit.
 */
function settle(model: Model, run: Run, kept: Line[]) {
  for (const [id, lines] of byUser(kept)) {
    const user = userOf(model, id);
    const collected = smallest(model.collects, sumOf(lines));
    const units = smallest(user.owed, largest(dueAgain(model, run, lines), collected));
    if (units <= 0n) continue;
    model.receivables.push({ run: run.id, user: id, units: -units });
    user.owed -= units;
    user.available -= units;
  }
}

/** What was booked for payments of a user that the run makes again, at most what it pays for them. */
function dueAgain(model: Model, run: Run, lines: Line[]) {
  const again = lines.filter((line) => model.everReversed.has(keyOf(run, line)));
  const booked = model.receivables.filter((one) =>
    again.some((line) => one.user === line.user && isFor(model, one.run, { run, line })),
  );
  const paid = again.filter((line) => booked.some((one) => isFor(model, one.run, { run, line })));
  return smallest(
    sumOf(paid),
    booked.reduce((sum, one) => sum + one.units, 0n),
  );
}

const sumOf = (lines: Line[]) => lines.reduce((sum, line) => sum + paidToUser(line), 0n);

/** Whether an earlier run of the same period paid or reversed the same payment. */
function isFor(model: Model, earlier: string, { run, line }: { run: Run; line: Line }) {
  const { kind, period, chunks } = runOf(model, earlier);
  if (kind !== run.kind || period !== run.period) return false;
  return (chunks ?? []).some(({ lines }) =>
    lines.some(({ user, cause, skip }) => user === line.user && cause === line.cause && skip === null),
  );
}

const smallest = (one: bigint, other: bigint) => (one < other ? one : other);
const largest = (one: bigint, other: bigint) => (one > other ? one : other);
