import { onFirstUse } from '#panel/ui/formats.ts';
import { formatCount, formatTotal } from '#panel/ui/table/view.ts';

const compact = onFirstUse(() => new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }));
/** Formats a count for an axis, where space is limited. */
export const formatShort = (count: number) => (count < 1_000 ? String(count) : compact().format(count));

/** Describes a chart for screen readers. */
export const formatFigures = (label: string, figures: readonly { name: string; count: number }[]) =>
  `${label}: ${figures.map(({ name, count }) => `${name} ${formatCount(count)}`).join(', ')}`;

type Attention = { withdrawals: number; tickets: number; approvals: number; failedRuns: number; stalledRuns: number };

const nouns: Record<keyof Attention, { one: string; many: string }> = {
  withdrawals: { one: 'withdrawal', many: 'withdrawals' },
  tickets: { one: 'ticket', many: 'tickets' },
  approvals: { one: 'approval', many: 'approvals' },
  failedRuns: { one: 'failed run', many: 'failed runs' },
  stalledRuns: { one: 'stalled run', many: 'stalled runs' },
};

const inOrder = ['withdrawals', 'tickets', 'approvals', 'failedRuns', 'stalledRuns'] as const;

/** Summarizes the open withdrawals, tickets, approvals, failed and stalled runs in one sentence. */
export function formatAttention(attention: Attention) {
  const waiting = inOrder.filter((what) => attention[what] > 0);
  if (waiting.length === 0) return "You're all caught up.";
  const parts = waiting.map((what) => formatTotal({ count: attention[what], capped: false }, nouns[what]));
  const count = waiting.reduce((sum, what) => sum + attention[what], 0);
  return `${formatList(parts)} ${count === 1 ? 'needs' : 'need'} attention.`;
}

/** "one, two and three". */
const formatList = (items: readonly string[]) =>
  [items.slice(0, -1).join(', '), items.at(-1)].filter(Boolean).join(' and ');
