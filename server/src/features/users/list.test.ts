import { sql } from 'kysely';
import { UserSort } from 'contract/users.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { everyPage, planOfScan } from '#server/core/testing/paging.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { userList } from './list.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Support' });
const token = await server.signIn('ann');

// Ties in role and time, times a microsecond apart, and names with accents and wildcards.
await sql`
  insert into platform_user
    (user_id, username, role, wallet, sol_wallet_address, referral_code, created_at, retired_at,
     blacklisted_at, blacklist_reason)
  select 'U' || n, (array['mira.', 'Miro_', 'éclair', 'a%b_c\\d', 'zoë'])[1 + n % 5] || n,
    case when n % 9 = 0 then 'Admin' else 'User' end::user_role, 'Wallet' || n, 'Sol' || n, 'LIST' || n,
    timestamptz '2026-01-01' + (n / 4) * interval '1 microsecond',
    case when n % 10 = 7 then now() end,
    case when n % 4 = 1 then now() end, case when n % 4 = 1 then 'Any reason' end
  from generate_series(1, 260) as n`.execute(db.owner);

type List = {
  users: { id: string; username: string; isBlacklisted: boolean }[];
  nextCursor: string | null;
  previousCursor: string | null;
  firstRow: number;
  total: { count: number; capped: boolean };
};

async function list(query: Record<string, string>) {
  const { status, json } = await server.call('GET', `/api/users?${new URLSearchParams(query).toString()}`, { token });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as List;
}

const columns = { createdAt: 'created_at', userId: 'user_id', username: 'username', role: 'role' };

/** The whole list, as PostgreSQL sorts it. */
async function wholeList(sort: UserSort, blacklisted: boolean) {
  const column = columns[sort.replace('-', '') as keyof typeof columns];
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const { rows } = await sql<{ id: string }>`
    select id from platform_user
    where retired_at is null and (not ${blacklisted} or blacklisted_at is not null)
    order by ${sql.raw(`${column} ${direction}, id ${direction}`)}`.execute(db.owner);
  return rows.map(({ id }) => id);
}

const cases = UserSort.options.flatMap((sort) => [
  { sort, blacklisted: false },
  { sort, blacklisted: true },
]);

test.each(cases)(
  'paging to the end and back returns the whole list without deleted users: %o',
  async ({ sort, blacklisted }) => {
    const whole = await wholeList(sort, blacklisted);
    expect(whole.length).toBeGreaterThan(30);
    const query = { sort, limit: '17', ...(blacklisted && { blacklisted: 'yes' }) };
    const { ids, totals } = await everyPage(async (cursor) => {
      const { users, ...page } = await list({ ...query, ...(cursor && { cursor }) });
      return { ids: users.map(({ id }) => id), ...page };
    });
    expect(ids).toEqual(whole);
    for (const total of totals) expect(total).toEqual({ count: whole.length, capped: false });
  },
);

test('the list is newest first with 25 rows per page, and each page has the number of its first row', async () => {
  const whole = await wholeList('-createdAt', false);
  const first = await list({});
  expect(first.users.map(({ id }) => id)).toEqual(whole.slice(0, 25));
  expect(first.firstRow).toBe(1);
  const next = await list({ cursor: String(first.nextCursor) });
  expect(next.firstRow).toBe(26);
  expect((await list({ cursor: String(next.previousCursor) })).firstRow).toBe(1);
});

test('a row has only the fields that the table shows', async () => {
  const { id, userId, username } = await addUser(db.owner, { createdAt: new Date('2030-01-01') });
  const { users } = await list({ limit: '1' });
  const createdAt = '2030-01-01T00:00:00.000Z';
  expect(users).toEqual([{ id, userId, username, role: 'User', createdAt, isBlacklisted: false }]);
});

const found = async (search: string, more: Record<string, string> = {}) => {
  const { users, total } = await list({ search, limit: '100', ...more });
  if (!total.capped) expect(total.count).toBe(users.length);
  return users.map(({ username }) => username).toSorted();
};

const solWalletAddress = '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2';
const paula = await addUser(db.owner, {
  userId: 'QX-90817',
  username: 'Paula.Test',
  wallet: '4Nd1mYvNzVbq8Wn6RkXcHsT2uJpLgE5ZaDfK7xQyBw3M',
  referralCode: 'PAULA77',
  solWalletAddress,
});

test.each([
  ['part of the user ID', 'x-908'],
  ['part of the username, in any case', 'aUlA.t'],
  ['part of the wallet', 'nzvbQ8w'],
  ['the referral code', 'paula77'],
  ['the whole id', paula.id],
  ['the whole id in capitals', paula.id.toUpperCase()],
  ['the whole SOL wallet address', solWalletAddress],
])('%s finds a user', async (_what, search) => {
  expect(await found(search)).toEqual(['Paula.Test']);
});

test.each([
  ['part of the id', paula.id.slice(0, 13)],
  ['part of the SOL wallet address', solWalletAddress.slice(0, 20)],
  ['the SOL wallet address in lower case', solWalletAddress.toLowerCase()],
  ['a wildcard of LIKE', 'Paula_Test'],
  ['an unknown name', 'nobody at all'],
])('%s finds no user', async (_what, search) => {
  expect(await found(search)).toEqual([]);
});

test('a search excludes deleted users and respects the filter', async () => {
  const { rows } = await sql<{ username: string }>`
    select username from platform_user where strpos(lower(username), 'mira') > 0 and retired_at is null`.execute(
    db.owner,
  );
  expect(await found('mira')).toEqual(rows.map(({ username }) => username).toSorted());
  const gone = await addUser(db.owner, { username: 'mira.gone', retiredAt: new Date() });
  expect(await found('mira.gone')).toEqual([]);
  expect(await found(gone.id)).toEqual([]);
  const { users } = await list({ search: 'mira', blacklisted: 'yes', limit: '100' });
  expect(users.length).toBeGreaterThan(5);
  expect(users.every(({ isBlacklisted }) => isBlacklisted)).toBe(true);
});

test.each(['sort=wallet', 'blacklisted=no', 'search=ab', 'search=%2D%2D%2D', 'page=2', 'limit=101'])(
  'a list request with %s is rejected',
  async (query) => {
    expect((await server.call('GET', `/api/users?${query}`, { token })).status).toBe(400);
  },
);

test('an invalid cursor is refused', async () => {
  const { status, json } = await server.call('GET', '/api/users?cursor=tampered', { token });
  expect([status, json['code']]).toEqual([422, 'InvalidCursor']);
});

test('every order scans its own index, also for the few blacklisted users', async () => {
  await sql`
    insert into platform_user
      (user_id, username, wallet, sol_wallet_address, referral_code, created_at, blacklisted_at, blacklist_reason)
    select 'M' || n, 'many.' || n, 'W' || n, 'S' || n, 'MANY' || n, timestamptz '2025-01-01' + n * interval '1 minute',
      case when n % 500 = 0 then now() end, case when n % 500 = 0 then 'Any reason' end
    from generate_series(1, 30000) as n`.execute(db.owner);
  await sql`analyze platform_user`.execute(db.owner);
  for (const { sort, blacklisted } of cases) {
    const query = { sort, cursor: undefined, limit: 25, blacklisted: blacklisted ? ('yes' as const) : undefined };
    const plan = await planOfScan(db.database, userList(db.database, query));
    expect(plan, `${sort} ${blacklisted}`).toMatch(
      blacklisted ? /Index Scan .*platform_user_blacklisted/ : /Index Scan .*platform_user_by_/,
    );
    expect(plan).not.toMatch(/Sort|Seq Scan|Bitmap/);
  }
});
