import type { Ticket } from 'contract/tickets.ts';

let made = 0;

/** An id that no other row of this page has. */
export function freshId() {
  made += 1;
  return `0198c0de-0000-7000-8000-${String(made).padStart(12, '0')}`;
}

/** What a list answers beside its rows when all of them fit on one page. */
export const onePage = (rows: readonly unknown[]) => ({
  nextCursor: null,
  previousCursor: null,
  total: { count: rows.length, capped: false },
  firstRow: 1,
});

export const ticket = (given: Partial<Ticket> = {}): Ticket => ({
  id: freshId(),
  type: 'Payout is late',
  description: 'It was due yesterday.',
  username: 'milancosta',
  status: 'open',
  createdAt: new Date('2026-11-01T10:00:00Z'),
  response: null,
  ...given,
});
