import { Action, Interaction } from 'contract/reports.ts';
import type { CopyIn } from '#server/core/db/copy.ts';

const hourMs = 3_600_000;
const daysKept = 90;

/** Events per hour and thousand users, before the weight of the hour. */
const perThousand: Record<Action | Interaction, number> = {
  Login: 38,
  'Sign-up': 2,
  Purchases: 9,
  Messages: 21,
  Support: 4,
  Browsing: 64,
  Checkout: 12,
  Referrals: 17,
  Edits: 8,
};

/** The weight of each hour of the day, in tenths: quiet at night, busiest in the evening. */
const hourWeights = [3, 2, 2, 2, 3, 4, 6, 8, 10, 11, 11, 12, 12, 11, 11, 12, 13, 15, 17, 18, 16, 12, 8, 5];

export function copyActivity(copy: CopyIn, { users, now }: { users: number; now: Date }) {
  const lastHour = Math.floor(now.getTime() / hourMs) * hourMs;
  return copy('copy activity_hour (hour, kind, count) from stdin', lines());
  function* lines() {
    for (let ago = 0; ago < daysKept * 24; ago += 1) {
      const hour = new Date(lastHour - ago * hourMs);
      for (const kind of [...Action.options, ...Interaction.options]) {
        const usual = (perThousand[kind] * users * (hourWeights[hour.getUTCHours()] ?? 0)) / 10_000;
        yield [hour, kind, Math.round(usual * (1 + ((ago * 31 + kind.length * 7) % 11) / 20))];
      }
    }
  }
}
