import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUsers, addWithdrawals } from '#server/core/testing/reports.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
await addAdmin(db.database, { username: 'sue', permissionSet: 'Support' });
const token = await server.signIn('ann');

const users = await addUsers(db.owner, ['mira.k', 'Solwalker', 'ÉCLAIR_1', 'a%b', 'Mirabel', 'xy', 'zz-ab']);
const [mira = '', solwalker = ''] = users;
await addWithdrawals(db.owner, { users, count: 210, at: '2026-03-01T22:00:00Z' });
await sql`
  insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, status, created_at,
    ends_on, completed_at)
  select 'S' || n, (${users}::uuid[])[1 + n % 7], (select id from stake_plan limit 1), n * 1000000, 0, 30, 10,
    case when n % 4 = 0 then 'Completed'::stake_status else 'Active' end, timestamptz '2026-02-01' + n * interval '1 hour',
    '2026-04-01', case when n % 4 = 0 then now() end
  from generate_series(1, 60) as n`.execute(db.owner);
await sql`
  insert into task (user_id, post_url, title, description, reward_usd, deadline, status, created_at)
  select (${users}::uuid[])[1 + n % 7], 'https://example.com', (array['Invite 5 friends', 'Connect wallet'])[1 + n % 2],
    '', 1, '2026-04-01', case when n % 3 = 0 then 'Completed'::task_status else 'Active' end,
    timestamptz '2026-02-01' + n * interval '1 hour'
  from generate_series(1, 45) as n`.execute(db.owner);

type Row = { id: string; user: string; date: string; status: string; amount?: string; stake?: string; task?: string };
type Page = {
  rows: Row[];
  nextCursor: string | null;
  previousCursor: string | null;
  total: { count: number; capped: boolean };
  firstRow: number;
};

async function readPage(tab: string, query: Record<string, string> = {}) {
  const { status, json } = await server.call('GET', `/api/reports/${tab}?${new URLSearchParams(query).toString()}`, {
    token,
  });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as Page;
}

async function readAllPages(tab: string, query: Record<string, string> = {}) {
  const pages = [await readPage(tab, query)];
  for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor) {
    pages.push(await readPage(tab, { ...query, cursor }));
  }
  return pages;
}

const rowsOf = (pages: Page[]) => pages.flatMap(({ rows }) => rows);

test('a page has ten rows, newest first, with the number of its first row and the total', async () => {
  const pages = await readAllPages('withdrawal');
  const { rows } = await sql<{ id: string }>`
    select id from withdrawal where status <> 'Failed' order by created_at desc, id desc`.execute(db.owner);
  expect(rowsOf(pages).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  expect(pages.map(({ rows: page }) => page.length)).toEqual(Array.from({ length: 14 }, () => 10));
  expect(pages.map(({ firstRow }) => firstRow)).toEqual(pages.map((_, index) => 1 + 10 * index));
  for (const { total } of pages) expect(total).toEqual({ count: 140, capped: false });

  const back = await readPage('withdrawal', { cursor: String(pages[1]?.previousCursor) });
  expect(back.rows).toEqual(pages[0]?.rows);
});

test('failed withdrawals are in no report', async () => {
  const statuses = new Set(rowsOf(await readAllPages('withdrawal')).map(({ status }) => status));
  expect([...statuses].toSorted()).toEqual(['Completed', 'Pending']);
});

test.each<[Record<string, string>, number]>([
  [{}, 70],
  [{ user: 'MIRA' }, 20],
  [{ user: 'xy' }, 10],
  [{ user: 'nobody' }, 0],
  [{ date: '2026-03-01' }, 40],
  [{ date: '2026-03-02', user: 'xy' }, 4],
  [{ date: '1999-01-01' }, 0],
])('a report with the filter %j leaves out %i failed withdrawals', async (query, count) => {
  const search = new URLSearchParams(query).toString();
  const { json } = await server.call('GET', `/api/reports/withdrawal/failed?${search}`, { token });
  expect(json).toEqual({ failed: { count, capped: false } });
});

test('a row has the user, the amount, the date and the status', async () => {
  const { rows } = await readPage('withdrawal', { limit: '1' });
  expect(rows).toEqual([
    { id: expect.any(String), user: 'mira.k', amount: '3.59245', date: '2026-03-02', status: 'Pending' },
  ]);
});

test('a completed stake is reported as Ended, and an active task as Pending', async () => {
  const stakes = rowsOf(await readAllPages('staking'));
  expect(stakes).toHaveLength(60);
  const id: unknown = expect.any(String);
  expect(stakes[0]).toEqual({ id, user: 'Mirabel', stake: '60.00', status: 'Ended', date: '2026-02-03' });
  expect(stakes.filter(({ status }) => status === 'Ended')).toHaveLength(15);
  expect(stakes.filter(({ status }) => status === 'Active')).toHaveLength(45);
  const tasks = rowsOf(await readAllPages('task'));
  expect(tasks).toHaveLength(45);
  const date: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
  expect(tasks[0]).toEqual({ id, user: expect.any(String), task: 'Connect wallet', status: 'Completed', date });
  expect(tasks.filter(({ status }) => status === 'Pending')).toHaveLength(30);
});

test.each([
  ['withdrawal', 'Completed', 70],
  ['withdrawal', 'Pending', 70],
  ['withdrawal', 'Failed', 0],
  ['staking', 'Active', 45],
  ['staking', 'Ended', 15],
  ['staking', 'Completed', 0],
  ['task', 'Completed', 15],
  ['task', 'Pending', 30],
  ['task', 'Active', 0],
  ['withdrawal', 'completed', 0],
  ['withdrawal', 'Complete', 0],
  ['task', 'constructor', 0],
  ['task', "' or true --", 0],
])('the %s report with the status %s has %i rows', async (tab, status, count) => {
  const pages = await readAllPages(tab, { status, limit: '100' });
  expect(rowsOf(pages)).toHaveLength(count);
  expect(new Set(rowsOf(pages).map((row) => row.status)).size).toBe(count > 0 ? 1 : 0);
  expect(pages[0]?.total).toEqual({ count, capped: false });
});

test.each([
  ['mira', ['Mirabel', 'mira.k']],
  ['MIRA', ['Mirabel', 'mira.k']],
  ['walk', ['Solwalker']],
  ['éclair', ['ÉCLAIR_1']],
  ['lair_', ['ÉCLAIR_1']],
  ['lair%', []],
  ['nobody', []],
  // Too short for the index, but still found.
  ['a%', ['a%b']],
  ['xy', ['xy']],
  ['X', ['xy']],
  ['z-a', ['zz-ab']],
  ['_', ['ÉCLAIR_1']],
])('the user filter %s finds %j', async (user, names) => {
  const pages = await readAllPages('withdrawal', { user, limit: '100' });
  const found = rowsOf(pages);
  expect([...new Set(found.map((row) => row.user))].toSorted()).toEqual(names.toSorted());
  const { rows } = await sql<{ id: string }>`
    select item.id from withdrawal as item join platform_user on platform_user.id = item.user_id
    where strpos(lower(username), lower(${user})) > 0 and item.status <> 'Failed'
    order by item.created_at desc, item.id desc`.execute(db.owner);
  expect(found.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  expect(pages[0]?.total).toEqual({ count: rows.length, capped: false });
});

test('a day is a UTC day, from its first timestamp to its last', async () => {
  await sql`insert into withdrawal (user_id, amount_usd, wallet, created_at, balance_usd, gmp_shares, prev_slx, slx_points)
    select ${mira}, 1, 'w', timestamp::timestamptz, 0, 0, 0, 0
    from unnest(array['2025-05-05T00:00:00Z', '2025-05-05T23:59:59.999999Z', '2025-05-06T00:00:00Z',
      '2025-05-04T23:59:59.999999Z']) as timestamp`.execute(db.owner);
  const { rows, total } = await readPage('withdrawal', { date: '2025-05-05' });
  expect(rows.map(({ date }) => date)).toEqual(['2025-05-05', '2025-05-05']);
  expect(total).toEqual({ count: 2, capped: false });
  expect((await readPage('withdrawal', { date: '2025-05-07' })).rows).toEqual([]);
});

test('the filters can be combined', async () => {
  for (const user of ['mira.k', 'mi']) {
    const pages = await readAllPages('withdrawal', { user, status: 'Pending', date: '2026-03-02', limit: '3' });
    const { rows } = await sql<{ id: string }>`
      select item.id from withdrawal as item join platform_user on platform_user.id = item.user_id
      where strpos(lower(username), ${user}) > 0 and item.status = 'Pending'
        and (item.created_at at time zone 'UTC')::date = '2026-03-02'
      order by item.created_at desc, item.id desc`.execute(db.owner);
    expect(rows.length).toBeGreaterThan(3);
    expect(rowsOf(pages).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(pages[0]?.total).toEqual({ count: rows.length, capped: false });
  }
});

test.each([{ user: '' }, { user: 'x'.repeat(65) }, { date: '2026-02-30' }, { date: '02/03/2026' }, { sort: 'user' }])(
  'a report request with %j is rejected',
  async (query) => {
    const search = new URLSearchParams(query).toString();
    expect((await server.call('GET', `/api/reports/withdrawal?${search}`, { token })).status).toBe(400);
  },
);

test('an invalid cursor is refused', async () => {
  const { status, json } = await server.call('GET', '/api/reports/task?cursor=tampered', { token });
  expect({ status, code: json['code'] }).toEqual({ status: 422, code: 'InvalidCursor' });
});

test('reading reports requires the permission to read reports', async () => {
  const support = await server.signIn('sue');
  for (const tab of ['withdrawal', 'withdrawal/failed', 'staking', 'task', 'exports']) {
    expect((await server.call('GET', `/api/reports/${tab}`, { token: support })).status).toBe(403);
  }
});

// Must be the last test: it adds so many rows that the others would no longer find theirs.
test('one or two letters search only the newest rows, three letters search all rows', async () => {
  const many = 100_000;
  await sql`
    insert into withdrawal (user_id, amount_usd, wallet, created_at, balance_usd, gmp_shares, prev_slx, slx_points)
    select ${solwalker}, 1, 'w', timestamptz '2026-05-01' + n * interval '1 second', 0, 0, 0, 0
    from generate_series(1, ${many - 1}::int) as n`.execute(db.owner);
  await sql`analyze withdrawal`.execute(db.owner);
  // One of the older rows is still among the newest 100,000.
  expect((await readPage('withdrawal', { user: 'mi' })).total).toEqual({ count: 1, capped: false });
  expect((await readPage('withdrawal', { user: 'xy' })).total).toEqual({ count: 0, capped: false });
  expect((await readPage('withdrawal', { user: 'mir' })).total.count).toBeGreaterThan(30);
  // The other filters apply before the newest rows are selected.
  const early = await readPage('withdrawal', { user: 'xy', date: '2026-03-02' });
  expect(early.total.count).toBeGreaterThan(1);
  expect(early.rows.every((row) => row.user === 'xy' && row.date === '2026-03-02')).toBe(true);

  for (const query of [{ user: 'so' }, { user: 'solwalker' }, { date: '2026-05-01' }]) {
    const page = await readPage('withdrawal', query);
    expect(page.total).toEqual({ count: 10_000, capped: true });
    expect(page.rows).toHaveLength(10);
  }
  // A capped count sends no total, only a link to the next page.
  const { headers } = await server.call('GET', '/api/reports/withdrawal?user=solwalker', { token });
  expect(headers.get('x-total-count')).toBeNull();
  expect(headers.get('link')).toMatch(/^<\/api\/reports\/withdrawal\?user=solwalker&cursor=[^>]+>; rel="next"$/);
});
