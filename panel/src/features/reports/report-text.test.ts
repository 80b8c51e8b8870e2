import { expect, test } from 'vitest';
import { formatFilter, formatPace, formatSize } from './report-text.ts';

test('the pace of an export shows only the known figures', () => {
  expect(formatPace({ done: 3_400, total: 9_812, perSecond: 4_100.4 })).toEqual([
    '3,400 of 9,812 rows',
    '4,100 rows/s',
    '2 s left',
  ]);
  expect(formatPace({ done: 3_400, total: null, perSecond: 50 })).toEqual(['3,400 rows', '50 rows/s']);
  expect(formatPace({ done: 0, total: 10, perSecond: undefined })).toEqual(['0 of 10 rows']);
  expect(formatPace({ done: 0, total: 600_000, perSecond: 1_000 })[2]).toBe('10 min left');
  expect(formatPace({ done: 0, total: 7_200_001, perSecond: 1_000 })[2]).toBe('3 h left');
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '1.5 kB'],
  [68_400_000, '68 MB'],
  [2_340_000_000, '2.3 GB'],
])('%i bytes are %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

test('a filter is formatted as text', () => {
  expect(formatFilter({})).toBe('every row');
  expect(formatFilter({ user: 'mira', status: 'Pending', date: '2026-03-01' })).toBe(
    'user contains “mira”, status Pending, on 2026-03-01',
  );
});
