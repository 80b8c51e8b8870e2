import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { countAll, importInto, platform, query } from '#server/core/testing/imports.ts';
import { type PlatformRow, walletFor } from '#server/core/testing/platform.ts';

type Planted = { part: string; index: number; change: PlatformRow; problem: string };

/** Rows are changed by their position. The rows of users are from the last to the first: row 2 is the last user. */
const planted: Planted[] = [
  { part: 'users', index: 0, change: { sponsor: 'nobody' }, problem: 'users.csv row 2, sponsor: SponsorUnknown' },
  { part: 'users', index: 1, change: { sponsor: 'U297' }, problem: 'users.csv row 3, sponsor: SponsorCircle' },
  { part: 'users', index: 2, change: { sponsor: 'U298' }, problem: 'users.csv row 4, sponsor: SponsorCircle' },
  { part: 'users', index: 3, change: { wallet: 'z'.repeat(44) }, problem: 'users.csv row 5, wallet: NotAWallet' },
  {
    part: 'users',
    index: 5,
    change: { wallet: walletFor('user 295') },
    problem: 'users.csv row 7, wallet: WalletTwice',
  },
  { part: 'users', index: 6, change: { username: 'USER.292' }, problem: 'users.csv row 9, username: UsernameTwice' },
  { part: 'users', index: 8, change: { referralCode: 'abc' }, problem: 'users.csv row 10, referralCode: NotACode' },
  { part: 'users', index: 9, change: { rank: 'Diamond' }, problem: 'users.csv row 11, rank: NotInList' },
  {
    part: 'users',
    index: 10,
    change: { createdAt: '2026-02-30T10:00:00Z' },
    problem: 'users.csv row 12, createdAt: NotATime',
  },
  { part: 'users', index: 11, change: { gmpShares: '1.5' }, problem: 'users.csv row 13, gmpShares: NotAnAmount' },
  { part: 'users', index: 12, change: { username: '' }, problem: 'users.csv row 14, username: ValueMissing' },
  { part: 'users', index: 13, change: { userId: 'U285' }, problem: 'users.csv row 16, userId: UserTwice' },
  {
    part: 'users',
    index: 15,
    change: { blacklistedAt: '2026-03-01T00:00:00Z', blacklistReason: '' },
    problem: 'users.csv row 17, blacklistReason: ValueMissing',
  },
  { part: 'balances', index: 0, change: { amount: '12.1234567' }, problem: 'balances.csv row 2, amount: NotAnAmount' },
  { part: 'balances', index: 3, change: { amount: '-5' }, problem: 'balances.csv row 5, amount: Negative' },
  { part: 'balances', index: 5, change: { userId: 'ghost' }, problem: 'balances.csv row 7, userId: UserUnknown' },
  { part: 'balances', index: 7, change: { asset: 'SOL' }, problem: 'balances.csv row 9, asset: NotInList' },
  {
    part: 'balances',
    index: 9,
    change: { userId: 'U5', asset: 'SLX', amount: '1' },
    problem: 'balances.csv row 13, asset: BalanceTwice',
  },
  { part: 'stakes', index: 8, change: { amountUsd: '1000000' }, problem: 'stakes.csv row 10, amountUsd: NoFunds' },
  { part: 'stakes', index: 9, change: { days: '31' }, problem: 'stakes.csv row 11, days: PlanUnknown' },
  { part: 'stakes', index: 10, change: { stakeId: 'S9' }, problem: 'stakes.csv row 12, stakeId: StakeTwice' },
  { part: 'stakes', index: 11, change: { dailyRate: '0.12345' }, problem: 'stakes.csv row 13, dailyRate: NotARate' },
  { part: 'stakes', index: 12, change: { completedAt: '' }, problem: 'stakes.csv row 14, completedAt: ValueMissing' },
  { part: 'stakes', index: 13, change: { endsOn: '2025-12-31' }, problem: 'stakes.csv row 15, endsOn: TooEarly' },
  {
    part: 'withdrawals',
    index: 3,
    change: { amountUsd: '999999' },
    problem: 'withdrawals.csv row 5, amountUsd: NoFunds',
  },
  {
    part: 'withdrawals',
    index: 4,
    change: { decidedAt: '' },
    problem: 'withdrawals.csv row 6, decidedAt: ValueMissing',
  },
  { part: 'withdrawals', index: 5, change: { reason: '' }, problem: 'withdrawals.csv row 7, reason: ValueMissing' },
  {
    part: 'withdrawals',
    index: 6,
    change: { wallet: '11111111111111111111111111111111' },
    problem: 'withdrawals.csv row 8, wallet: NotAWallet',
  },
  { part: 'tickets', index: 1, change: { ticketId: 'T0' }, problem: 'tickets.csv row 3, ticketId: TicketTwice' },
  {
    part: 'tickets',
    index: 2,
    change: { createdAt: '2999-01-01T00:00:00Z' },
    problem: 'tickets.csv row 4, createdAt: InFuture',
  },
];

test('a dry run lists every planted problem by row, and writes nothing', async () => {
  await using db = await testDatabase();
  const before = await countAll(db);
  const folder = await platform((parts) => {
    for (const { part, index, change } of planted) Object.assign(parts[part]?.[index] ?? {}, change);
  });
  await appendFile(path.join(folder, 'tickets.csv'), 'T9999,U1,"an unclosed quote\n');
  await appendFile(path.join(folder, 'stakes.csv'), 'S9999,U1\n');
  const { outcome, lines } = await importInto(db, folder, { dryRun: true });
  expect(outcome).toBe('problems');
  const found = lines.flatMap((line) => (/^\S+ row \d+, \w+: \w+/.exec(line) ?? []).slice(0, 1));
  const expected = [
    ...planted.map(({ problem }) => problem),
    // The user whose ID is now that of another one.
    'balances.csv row 574, userId: UserUnknown',
    'balances.csv row 575, userId: UserUnknown',
    'stakes.csv row 288, userId: UserUnknown',
    'tickets.csv row 32, row: RowMalformed',
    'stakes.csv row 302, row: RowMalformed',
  ];
  expect(found.toSorted()).toEqual(expected.toSorted());
  expect(lines.at(-1)).toBe(`${expected.length} problems. Nothing was written.`);
  expect(lines.join('\n')).toContain('stakes.csv row 11, days: PlanUnknown "31 days at 0.15%"');
  expect(await countAll(db)).toEqual(before);
});

test('an import with problems writes nothing, and a dry run without problems neither', async () => {
  await using db = await testDatabase();
  const before = await countAll(db);
  const wrong = await platform((parts) => Object.assign(parts['balances']?.[0] ?? {}, { amount: 'much' }));
  expect((await importInto(db, wrong)).outcome).toBe('problems');
  expect((await importInto(db, await platform(), { dryRun: true })).outcome).toBe('checked');
  expect(await countAll(db)).toEqual(before);
  expect(await query(db, 'select from import')).toEqual([]);
});

test('a problem never shows a private key', async () => {
  await using db = await testDatabase();
  const folder = await platform((parts) =>
    Object.assign(parts['users']?.[0] ?? {}, { solPrivateKey: 'k'.repeat(1_001) }),
  );
  const { lines } = await importInto(db, folder, { dryRun: true });
  expect(lines.join('\n')).toContain('users.csv row 2, solPrivateKey: TooLong.');
  expect(lines.join('\n')).not.toContain('kkk');
});

test('unknown, missing and repeated columns are problems of the first row', async () => {
  await using db = await testDatabase();
  const folder = await platform();
  const place = path.join(folder, 'tickets.csv');
  await writeFile(place, (await readFile(place, 'utf8')).replace('userId,subject', 'ticketId,title'));
  const { lines } = await importInto(db, folder, { dryRun: true });
  expect(lines.filter((line) => line.includes('row 1,'))).toEqual([
    'tickets.csv row 1, subject: ColumnMissing. This required column is missing from the file.',
    'tickets.csv row 1, ticketId: ColumnTwice. Two columns have this name.',
    'tickets.csv row 1, title: ColumnUnknown. This column is not part of the import format.',
    'tickets.csv row 1, userId: ColumnMissing. This required column is missing from the file.',
  ]);
});
