import type { Step } from './step.ts';
import { type Model, paidToUser, postedLines, type Run, type User } from './model.ts';
import { periodToPay, reversedOf, settingsAt } from './periods.ts';

/** A stake payout, what it paid to a user and what they still owe of it. */
type Paid = { run: Run; units: bigint; isReversed: boolean; owed: bigint };

/**
 * Pays two days, lets a user owe a part of one day and something of the other, and then pays the first day again: only
 * that part may be settled. By chance alone that takes more steps than a sequence has.
 */
export function oweTwice(model: Model): Step | undefined {
  const user = model.users.find((one) => !one.isDeleted && !one.isBlacklisted && paidDays(model, one).length > 1);
  if (user) return nextStep(user, paidDays(model, user));
  const isDue = periodToPay(model, settingsAt(model, 'stake-payout', model.now)) !== null;
  return isDue ? { name: 'plan', kind: 'stake-payout' } : { name: 'next day' };
}

function nextStep({ id: user, available }: User, paid: Paid[]): Step | undefined {
  const active = paid.find(({ isReversed }) => !isReversed);
  const isPartlyOwed = ({ owed, units }: Paid) => owed > 0n && owed < units;
  const partly = paid.find(isPartlyOwed);
  if (partly && paid.some((one) => one !== partly && one.owed > 0n)) {
    return { name: 'pay again', run: partly.run.id, user };
  }
  if (!active) return undefined;
  const kept = active.units / 2n;
  if (!partly && available > kept) return { name: 'spend', user, units: available - kept };
  return { name: 'reverse', run: active.run.id, user };
}

/** Returns what the stake payouts paid to a user, a day each. */
export function paidDays(model: Model, { id }: User): Paid[] {
  const payouts = model.runs.filter(({ kind, reverses }) => kind === 'stake-payout' && reverses === null);
  return payouts
    .map((run) => {
      const lines = postedLines(run).filter(({ user }) => user === id);
      const units = lines.reduce((sum, line) => sum + paidToUser(line), 0n);
      return { run, units, isReversed: reversedOf(model, run, id) !== 'none', owed: owedOf(model, run, id) };
    })
    .filter(({ units }) => units > 1n);
}

/** What a user could not give back when a run was reversed. */
function owedOf({ runs, receivables }: Model, run: Run, id: string) {
  const reversals = new Set(runs.filter(({ reverses }) => reverses === run.id).map((one) => one.id));
  const booked = receivables.filter((one) => one.user === id && reversals.has(one.run));
  return booked.reduce((sum, { units }) => sum + units, 0n);
}
