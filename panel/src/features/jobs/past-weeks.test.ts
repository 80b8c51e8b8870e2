import { expect, test } from 'vitest';
import { pastWeeks } from './past-weeks.ts';

test.each([
  ['a Monday at midnight', '2026-03-09T00:00:00Z'],
  ['a Sunday in the last second', '2026-03-15T23:59:59Z'],
])('the last weeks are those before the week of %s', (_name, now) => {
  const weeks = pastWeeks(Date.parse(now));
  expect(weeks).toHaveLength(8);
  expect(weeks.slice(0, 2)).toEqual([
    { name: 'Week from 2 Mar 2026', at: new Date('2026-03-08T23:59:59Z') },
    { name: 'Week from 23 Feb 2026', at: new Date('2026-03-01T23:59:59Z') },
  ]);
});
