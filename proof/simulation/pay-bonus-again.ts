import { dayMs, dayOf, type Model, postedLines, rankAt, type Run, type User } from './model.ts';
import { periodToPay, reversedOf, settingsAt } from './periods.ts';
import type { Step } from './step.ts';

/**
 * Pays a bonus to two users, changes its amount for a time before that payment, and pays it again to one of them: the
 * amount stays. By chance alone that takes more steps than a sequence has.
 */
export function payBonusAgain(model: Model): Step | undefined {
  const paid = model.runs.find(
    (run) => run.kind === 'rank-bonus' && run.reverses === null && postedLines(run).length > 1,
  );
  return paid ? changeAndPayAgain(model, paid) : payFirst(model);
}

const mayBePaid = ({ isDeleted, isBlacklisted }: User) => !isDeleted && !isBlacklisted;

function payFirst(model: Model): Step {
  const settings = settingsAt(model, 'rank-bonus', model.now);
  const rank = settings.kind === 'rank-bonus' ? settings.value.rank : 'Silver';
  const users = model.users.filter(mayBePaid);
  const other = users.find((user) => rankAt(user, model.now) !== rank);
  if (other && users.filter((user) => rankAt(user, model.now) === rank).length < 2) {
    return { name: 'promote', user: other.id, rank };
  }
  return periodToPay(model, settings) === null ? { name: 'next day' } : { name: 'plan', kind: 'rank-bonus' };
}

function changeAndPayAgain(model: Model, paid: Run): Step | undefined {
  const user = model.users.find((one) => mayBePaid(one) && postedLines(paid).some((line) => line.user === one.id))?.id;
  if (user === undefined || paid.settings.kind !== 'rank-bonus') return undefined;
  const { rank, bonusAmount } = paid.settings.value;
  const wasChanged = model.versions.some(({ kind, from }) => kind === 'rank-bonus' && from > 0 && from < paid.asOf);
  if (!wasChanged) {
    const changed = { rank, bonusAmount: `${Number(bonusAmount) + 1}.00` };
    return { name: 'save', settings: { kind: 'rank-bonus', value: changed }, from: dayOf(paid.asOf - dayMs) };
  }
  const isReversed = reversedOf(model, paid, user) !== 'none';
  return isReversed ? { name: 'pay again', run: paid.id, user } : { name: 'reverse', run: paid.id, user };
}
