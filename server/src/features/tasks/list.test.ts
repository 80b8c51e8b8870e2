import { TaskSort, TaskStatus } from 'contract/tasks.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ownedListOf } from '#server/core/testing/user-owned-list.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { taskList } from './queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');
const busy = await addUser(db.owner, { username: 'busy' });
const idle = await addUser(db.owner, { username: 'idle' });

// Few distinct values in many rows: ties in every column, times a microsecond apart, and few active tasks.
await db.owner.transaction().execute(async (tx) => {
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`
    insert into task (user_id, post_url, title, description, reward_usd, deadline, status, created_at)
    select case when n % 300 = 6 then ${idle.id} else ${busy.id} end::uuid, 'https://example.com/' || n,
      case when n % 5000 = 9 then '100% of the Snake_case' when n % 2 = 0 then 'Invite 5 friends' else 'Connect wallet' end,
      'Task ' || n, 1000000 * (1 + n % 50), date '2026-01-01' + n % 40,
      case when n % 351 = 0 then 'Active' else 'Completed' end::task_status,
      timestamptz '2026-01-01' + (n / 4) * interval '1 microsecond'
    from generate_series(1, 70000) as n`.execute(tx);
});
await sql`analyze`.execute(db.owner);

const {
  list,
  wholeList,
  expectWhole,
  expectFirstPages,
  expectTooManyToCount,
  expectNone,
  expectScan,
  expectNoCursorAt,
} = ownedListOf(
  { db, server, token },
  {
    path: '/api/tasks',
    rows: 'tasks',
    table: 'task',
    columns: { createdAt: 'created_at', reward: 'reward_usd', deadline: 'deadline' },
    defaultSort: '-createdAt',
    searchedIn: 'item.title',
  },
);

test.each(TaskSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Completed' }]))(
  'paging through the rows of one user, forward and back, returns the whole list: %o',
  async (query) => {
    expect(await expectWhole({ ...query, user: idle.id })).toBeGreaterThan(140);
  },
);

test.each(TaskSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Active' }]))(
  'the first pages match the whole list: %o',
  expectFirstPages,
);

test('by default the list is newest first with 25 rows per page', async () => {
  expect((await list({})).ids).toEqual((await wholeList({})).slice(0, 25));
});

test('a rare title is found in every order and status, and wildcards are taken literally', async () => {
  for (const sort of TaskSort.options) {
    for (const status of TaskStatus.options) await expectWhole({ sort, status, search: 'SNAKE_CASE' });
  }
  expect(await expectWhole({ search: '100% of' })).toBe(14);
  expect(await expectWhole({ search: 'snake%case' })).toBe(0);
});

test('a search for a common title is sorted, and its count is capped', () => expectTooManyToCount('invite'));

test('an unknown title finds nothing, and usernames and descriptions are not searched', async () => {
  for (const search of ['nothing', 'idle', 'task 123']) await expectNone(search);
});

test.each(['sort=title', 'status=active', 'search=ab', 'user=me', 'page=2'])(
  'a list request with %s is rejected',
  async (query) => {
    expect((await server.call('GET', `/api/tasks?${query}`, { token })).status).toBe(400);
  },
);

test.each([
  ['reward', '99999999999999999999'],
  ['reward', '-1e3'],
  ['reward', ''],
  ['deadline', '2026-02-30'],
  ['deadline', '\u0000'],
])('a cursor for %s at position %j is refused without a server error', expectNoCursorAt);

const scans = TaskSort.options.flatMap((sort) => [{ sort }, ...TaskStatus.options.map((status) => ({ sort, status }))]);

test.each(scans)('%o is read by an index scan, from the start and from the middle', async (query) => {
  // The other statuses are so common that any index of the order fills a page with them quickly.
  const scan =
    'status' in query && query.status === 'Active'
      ? /Index Scan.* using task_by_status_(created|deadline|reward)/
      : /Index Scan.* on task/;
  await expectScan(scan, query, (cursor) => taskList(db.database, { ...query, cursor, limit: 25 }));
});
