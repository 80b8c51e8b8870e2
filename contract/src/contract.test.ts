import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { refuseDeletion } from './admins.ts';
import { login, NewPassword, Username } from './auth.ts';
import { Timestamp } from './core/endpoint.ts';
import { pageQuery, Search } from './core/paging.ts';
import { createTicket, TicketStatus } from './tickets.ts';

test.each(['ann', 'a.b-c_d', '007', 'A'.repeat(32)])('%s is a username', (name) => {
  expect(Username.safeParse(name).success).toBe(true);
});

test.each(['', 'ab', '.ann', '-ann', 'an n', 'ann\n', 'änn', 'аnn', 'ann@x', 'A'.repeat(33)])(
  '%j is not a username',
  (name) => {
    expect(Username.safeParse(name).success).toBe(false);
  },
);

test('a password has 12 to 128 characters and no other rule', () => {
  for (const [length, fits] of [
    [11, false],
    [12, true],
    [128, true],
    [129, false],
  ] as const) {
    expect(NewPassword.safeParse(' '.repeat(length)).success).toBe(fits);
  }
});

test('a timestamp is ISO 8601 on the wire, a Date in memory, and survives the round trip', () => {
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      const text = z.encode(Timestamp, date);
      expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(z.decode(Timestamp, text)).toEqual(date);
    }),
  );
});

test('a page has 1 to 100 rows', () => {
  const limit = pageQuery.limit;
  for (const text of ['1', '100', '025']) expect(z.decode(limit, text)).toBe(Number(text));
  for (const text of ['0', '101', '-1', '1.5', '1e2', ' 1', '', '0x10']) {
    expect(limit.safeParse(text).success, text).toBe(false);
  }
});

test('a search term is trimmed and has at least three characters', () => {
  expect(Search.parse('  abc ')).toBe('abc');
  expect(Search.safeParse('ab ').success).toBe(false);
});

test('the text of a ticket is trimmed and must not be empty', () => {
  expect(createTicket.body.parse({ type: ' Lost ', description: ' Help ' })).toEqual({
    type: 'Lost',
    description: 'Help',
  });
  expect(createTicket.body.safeParse({ type: '  ', description: 'Help' }).success).toBe(false);
});

test('the ticket statuses are the six of the specification', () => {
  expect(TicketStatus.options).toEqual(['open', 'in_progress', 'awaiting_user', 'resolved', 'closed', 'rejected']);
});

test('a failed sign-in is refused with the text of the specification', () => {
  expect(login.refusals[401].InvalidCredentials).toBe('Invalid username or password.');
});

test('only a SuperAdmin cannot be deleted', () => {
  expect(refuseDeletion({ role: 'SuperAdmin' })).toBe('SuperAdminUndeletable');
  expect(refuseDeletion({ role: 'Admin' })).toBeUndefined();
});
