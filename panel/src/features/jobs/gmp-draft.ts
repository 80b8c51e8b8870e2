import { writeAmount } from 'contract/core/money.ts';
import { z } from 'zod';
import { numberIn, percentageRule, percentText } from './draft.ts';
import { Frequency, TimeOfDay, UtcOffset, Weekday } from 'contract/recurrence.ts';
import { GmpDistribution } from 'contract/jobs-gmp-distro.ts';

export type GmpDraft = {
  amount: string;
  frequency: string;
  time: string;
  enabled: boolean;
  weekday: string;
  utcOffset: string;
  percentage: string;
};

export const draftOf = ({ amount, weekday, utcOffset, percentage, ...rest }: GmpDistribution): GmpDraft => ({
  ...rest,
  amount: writeAmount(amount, 'GMP'),
  weekday: String(weekday),
  utcOffset: String(utcOffset),
  percentage: percentText(percentage),
});

export const readDraft = ({ time, weekday, utcOffset, percentage, amount, ...rest }: GmpDraft) =>
  GmpDistribution.safeParse({
    ...rest,
    time: wholeTime(time),
    amount: amount.trim(),
    weekday: numberIn(weekday),
    utcOffset: numberIn(utcOffset),
    percentage: numberIn(percentage),
  });

const Recurrence = z.object({ frequency: Frequency, time: TimeOfDay, weekday: Weekday, utcOffset: UtcOffset });

/** Returns the schedule of the draft, or undefined if it is invalid. The amount does not matter. */
export function recurrenceOf({ frequency, time, weekday, utcOffset }: GmpDraft) {
  return Recurrence.safeParse({
    frequency,
    time: wholeTime(time),
    weekday: numberIn(weekday),
    utcOffset: numberIn(utcOffset),
  }).data;
}

/** Normalizes "7:30" and "730" to "07:30". A native time input would use the format of the browser's locale. */
export function wholeTime(typed: string) {
  const { hour, minute } = /^(?<hour>\d{1,2})[:.]?(?<minute>\d{2})$/.exec(typed.trim())?.groups ?? {};
  return hour === undefined || minute === undefined ? typed : `${hour.padStart(2, '0')}:${minute}`;
}

const rules: Record<string, string> = {
  amount: 'Enter an amount above 0, with at most 6 decimals.',
  time: 'Enter a time from 00:00 to 23:59.',
  utcOffset: 'Enter an offset from -12 to 14 in steps of 0.25.',
  percentage: percentageRule,
};

const missing: Partial<Record<keyof GmpDraft, string>> = {
  amount: 'Enter an amount.',
  time: 'Enter a time.',
  utcOffset: 'Enter an offset.',
  percentage: 'Enter a percentage.',
};

export const formatMissing = (field: keyof GmpDraft) => missing[field] ?? 'Enter a value.';

export const formatIssue = ({ path, message }: z.core.$ZodIssue) => rules[String(path[0])] ?? message;
