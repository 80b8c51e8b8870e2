import { sayCount, sayTotal, type Total } from '#panel/ui/table/view.ts';

const month = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
export const sayMonth = (firstDay: string) => month.format(new Date(`${firstDay}T00:00:00Z`));

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
/** For axes, where a long figure has no room. */
export const sayShort = (count: number) => compact.format(count);

/** What a picture shows, for those who do not see it. */
export const sayAll = (label: string, figures: readonly { name: string; count: number }[]) =>
  `${label}: ${figures.map(({ name, count }) => `${name} ${sayCount(count)}`).join(', ')}`;

/** What waits for a decision or an answer; a total that was not counted to its end says so. */
export function sayWaiting(withdrawals: number, tickets: Total) {
  const waiting = [
    withdrawals > 0 && sayTotal({ count: withdrawals, capped: false }, { one: 'withdrawal', many: 'withdrawals' }),
    tickets.count > 0 && sayTotal(tickets, { one: 'ticket', many: 'tickets' }),
  ].filter((words) => words !== false);
  if (waiting.length === 0) return 'Nothing is waiting for anyone.';
  const one = withdrawals + tickets.count === 1;
  return `${waiting.join(' and ')} ${one ? 'is' : 'are'} waiting for someone.`;
}
