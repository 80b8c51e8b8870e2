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

/** A day on which every made-up row was written. */
export const longAgo = new Date('2026-11-01T10:00:00Z');
