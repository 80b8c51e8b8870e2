import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAdmin } from '../admins.ts';
import { startExport } from '../reports.ts';
import { saveSettings } from '../settings.ts';
import { explainIssue } from './field-errors.ts';
import { createTask } from '../tasks.ts';
import { createTicket, listTickets, readTicket } from '../tickets.ts';
import { decideWithdrawals } from '../withdrawals.ts';
import { saveGmpDistribution } from '../jobs-gmp-distro.ts';

const reasons = (schema: z.core.$ZodType, sent: unknown) =>
  z.safeParse(schema, sent, { error: explainIssue }).error?.issues.map(({ message }) => message);

const admin = { username: 'ann', password: 'a long enough phrase', confirmPassword: 'x', role: 'Admin' };
const usernameRule =
  'Username must have 3 to 32 letters, digits, dots, dashes or underscores, and start with a letter or digit.';

test.each([
  [{ password: 'short' }, 'Password must have at least 12 characters.'],
  [{ password: 'x'.repeat(129) }, 'Password must have at most 128 characters.'],
  [{ password: '' }, 'Password is required.'],
  [{ password: undefined }, 'Password is required.'],
  [{ password: 12 }, 'Password must be text.'],
  [{ confirmPassword: undefined }, 'Confirm password is required.'],
  [{ username: 'an n' }, usernameRule],
  [{ role: 'Super Admin' }, 'Role must be Admin or SuperAdmin.'],
  [{ role: undefined }, 'Role is required.'],
  [{ permissionSet: 'Support' }, 'The request has a field that is not known: permissionSet.'],
  [{ 'a field <b>': 1 }, 'The request has a field that is not known.'],
])('an administrator with %j is refused with one sentence', (wrong, sentence) => {
  expect(reasons(createAdmin.body, { ...admin, ...wrong })).toEqual([sentence]);
});

const task = {
  userId: '1',
  postUrl: 'https://example.com',
  title: 'Post',
  description: '',
  reward: '1',
  deadline: '2026-12-01',
};
const gmp = {
  amount: '1',
  frequency: 'Daily',
  time: '10:00',
  enabled: true,
  weekday: 1,
  utcOffset: 0,
  percentage: 50,
};
const settings = (wrong: object) => ({ settings: { ...gmp, ...wrong }, version: 1 });

test.each([
  [createTicket.body, { type: '  ', description: 'x' }, 'Type is required.'],
  [createTicket.body, { type: 'x', description: 'x'.repeat(5_001) }, 'Description must have at most 5,000 characters.'],
  [createTicket.body, null, 'The request must be a JSON object.'],
  [readTicket.params, { id: '1' }, 'ID must be a UUID.'],
  [listTickets.querystring, { limit: '0' }, 'Limit must be at least 1.'],
  [listTickets.querystring, { limit: 'many' }, 'Limit must be a whole number from 1 to 100.'],
  [listTickets.querystring, { search: 'ab' }, 'Search must have three letters or digits in a row.'],
  [
    createTask.body,
    { ...task, postUrl: 'javascript:1' },
    'Post URL must be a web address that starts with http:// or https://.',
  ],
  [createTask.body, { ...task, deadline: '1 May' }, 'Deadline must be a date written YYYY-MM-DD.'],
  [createTask.body, { ...task, reward: '0' }, 'Reward must be from 0.000001 to 1,000,000.'],
  [createTask.body, { ...task, reward: '0.0000001' }, 'Reward must be an amount with at most 6 decimals.'],
  [saveGmpDistribution.body, settings({ time: '25:00' }), 'Time must be written HH:mm.'],
  [saveGmpDistribution.body, settings({ weekday: 8 }), 'Weekday must be at most 7.'],
  [saveGmpDistribution.body, settings({ weekday: 1.5 }), 'Weekday must be a whole number.'],
  [saveGmpDistribution.body, settings({ utcOffset: 1.1 }), 'UTC offset must be a multiple of 0.25.'],
  [saveGmpDistribution.body, settings({ enabled: 'yes' }), 'Enabled must be true or false.'],
  [
    startExport.body,
    { tab: 'run', filter: {} },
    'The request must name a run for the payments of a run, and none for a report.',
  ],
])('an invalid value gets one sentence that names the field (%#)', (schema, sent, sentence) => {
  expect(reasons(schema, sent)).toEqual([sentence]);
});

test('an item of a list is named by its position', () => {
  const sent = { ids: ['019c0000-0000-7000-8000-000000000000', 'x'] };
  expect(reasons(decideWithdrawals.body, sent)).toEqual(['Item 2 of ids must be a UUID.']);
});

test('no sentence repeats the sent value', () => {
  const secret = 'correct horse battery staple '.repeat(9);
  const sentences = reasons(createAdmin.body, { username: secret, password: secret, confirmPassword: 1, role: secret });
  expect(sentences).toHaveLength(4);
  expect(sentences?.join(' ')).not.toContain('horse');
});

test('an invalid email address is named as such', () => {
  const wrong = { fullName: 'Ann', email: 'ann', notifications: true, theme: 'dark' };
  expect(reasons(saveSettings.body, { ...wrong, version: 1 })).toEqual(['Email must be an email address.']);
});
