import type { Model, User } from './model.ts';
import { paidDays } from './owe-twice.ts';
import { periodToPay, settingsAt } from './periods.ts';
import type { Step } from './step.ts';

/**
 * Lets a user owe more than a run may collect from them, and then pays them a day that is worth more than that. By chance
 * alone that takes more steps than a sequence has.
 */
export function collectLimited(model: Model): Step | undefined {
  const { collects } = model;
  if (collects === 0n) return undefined;
  const users = model.users.filter((user) => !user.isDeleted && !user.isBlacklisted);
  if (!users.some(({ owed }) => owed > collects)) {
    for (const user of users) {
      const found = reverseSpent(model, user);
      if (found) return found;
    }
  }
  const isDue = periodToPay(model, settingsAt(model, 'stake-payout', model.now)) !== null;
  return isDue ? { name: 'plan', kind: 'stake-payout' } : { name: 'next day' };
}

function reverseSpent(model: Model, user: User): Step | undefined {
  const paid = paidDays(model, user).find(({ units, isReversed }) => !isReversed && units > model.collects);
  if (!paid) return undefined;
  if (user.available > 0n) return { name: 'spend', user: user.id, units: user.available };
  return { name: 'reverse', run: paid.run.id, user: user.id };
}
