import { expect, test } from 'vitest';
import { openBooks } from './books.ts';
import { differencesOf } from './differences.ts';

const user = 'U1';

function booksOf(deposited: bigint) {
  const books = openBooks();
  books.move({ user, asset: 'USD', from: 'outside', to: 'available', units: deposited });
  books.move({ user, asset: 'USD', from: 'available', to: 'staked', units: 40_000_000n });
  books.move({ user, asset: 'USD', from: 'available', to: 'held', units: 10_000_000n });
  books.move({ user, asset: 'USD', from: 'held', to: 'available', units: 10_000_000n });
  return new Map(books.facts());
}

test('a balance of zero is not a fact, and the others are written to the unit', () => {
  expect(booksOf(100_000_001n)).toEqual(
    new Map([
      ['balance U1 USD outside', '-100.000001'],
      ['balance U1 USD available', '60.000001'],
      ['balance U1 USD staked', '40.00'],
    ]),
  );
});

test('equal books have no differences, and a wrong amount of one unit is one in each account', () => {
  expect(differencesOf({ platform: booksOf(100_000_000n), bursar: booksOf(100_000_000n) })).toEqual([]);
  expect(differencesOf({ platform: booksOf(100_000_001n), bursar: booksOf(100_000_000n) })).toEqual([
    'balance U1 USD outside: the platform says -100.000001, Bursar says -100.00',
    'balance U1 USD available: the platform says 60.000001, Bursar says 60.00',
  ]);
});

test('what only one side has is a difference', () => {
  const platform = new Map([['ticket a', 'Help']]);
  const bursar = new Map([['event b', 'ticket.replied']]);
  expect(differencesOf({ platform, bursar })).toEqual([
    'ticket a: the platform says Help, Bursar says nothing',
    'event b: the platform says nothing, Bursar says ticket.replied',
  ]);
});
