let made = 0;

/** Returns an id that no other row has. */
export function freshId() {
  made += 1;
  return `0198c0de-0000-7000-8000-${String(made).padStart(12, '0')}`;
}

/** Returns the response to a list request, without the rows, if all of them fit on one page. */
export const onePage = (rows: readonly unknown[]) => ({
  nextCursor: null,
  previousCursor: null,
  total: { count: rows.length, capped: false },
  firstRow: 1,
});

/** The time at which every sample row was created. */
export const longAgo = new Date('2026-11-01T10:00:00Z');
