import { dice, idOf, pick, throwDice } from './dice.ts';
import { usernameOf } from './users.ts';
import type { World } from './world.ts';

const subjects = [
  'Withdrawal still pending',
  'Stake payout lower than yesterday',
  'Wallet change',
  'Referral not counted',
  'Task reward missing',
  'Rank shows Silver instead of Gold',
  'Cannot connect wallet',
  'Team volume looks wrong',
];
const statuses = [
  'closed',
  'closed',
  'closed',
  'resolved',
  'resolved',
  'open',
  'in_progress',
  'awaiting_user',
] as const;

/** Yields a ticket for every tenth user. */
export function* ticketsOf(world: World) {
  for (let index = 3; index < world.users; index += 10) {
    const since = world.joinedAt(index);
    const passed = (dice(index, 400) / 2 ** 32) * (world.now.getTime() - since.getTime());
    const createdAt = new Date(since.getTime() + Math.floor(passed));
    const status = pick(statuses, dice(index, 401));
    yield {
      id: idOf(createdAt, index, 402),
      type: `${pick(subjects, dice(index, 403))}, case ${10_000 + throwDice(index, 404, 90_000)}`,
      description:
        'The guide does not say enough about this. Could you please explain it, and tell me where I can read more?',
      username: usernameOf(index),
      status,
      response: status === 'open' ? null : 'Thank you for writing. The guide now has a page about it.',
      createdAt,
    };
  }
}
