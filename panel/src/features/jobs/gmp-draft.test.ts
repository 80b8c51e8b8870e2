import { expect, test } from 'vitest';
import { type GmpDraft, readDraft, recurrenceOf } from './gmp-draft.ts';

const draft: GmpDraft = {
  amount: '1000',
  frequency: 'Daily',
  time: '7:30',
  enabled: true,
  weekday: '1',
  utcOffset: '0',
  percentage: '100',
};

test('a time without colon or leading zero is accepted, even if Enter submits it before the field loses focus', () => {
  for (const time of ['7:30', '730', '07:30', ' 7.30']) {
    expect(readDraft({ ...draft, time }).data?.time).toBe('07:30');
    expect(recurrenceOf({ ...draft, time })?.time).toBe('07:30');
  }
  expect(readDraft({ ...draft, time: '25:00' }).success).toBe(false);
});
