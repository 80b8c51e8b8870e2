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

// Few values and many rows: ties in every column, times that differ by a microsecond, and few that are active.
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
    usualSort: '-createdAt',
    soughtIn: 'item.title',
  },
);

test.each(TaskSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Completed' }]))(
  'the pages of one user are the whole list, forward and back: %o',
  async (query) => {
    expect(await expectWhole({ ...query, user: idle.id })).toBeGreaterThan(140);
  },
);

test.each(TaskSort.options.flatMap((sort) => [{ sort }, { sort, status: 'Active' }]))(
  'the first pages are those of the whole list: %o',
  expectFirstPages,
);

test('the list is newest first, 25 rows a page, unless asked otherwise', async () => {
  expect((await list({})).ids).toEqual((await wholeList({})).slice(0, 25));
});

test('a rare title is found in every order and status, letter by letter', async () => {
  for (const sort of TaskSort.options) {
    for (const status of TaskStatus.options) await expectWhole({ sort, status, search: 'SNAKE_CASE' });
  }
  expect(await expectWhole({ search: '100% of' })).toBe(14);
  expect(await expectWhole({ search: 'snake%case' })).toBe(0);
});

test('a common title is found in order and counted only so far', () => expectTooManyToCount('invite'));

test('a title that nothing has finds nothing, and neither does a name or a description', async () => {
  for (const search of ['nothing', 'idle', 'task 123']) await expectNone(search);
});

test.each(['sort=title', 'status=active', 'search=ab', 'user=me', 'page=2'])(
  'a list asked for with %s is not understood',
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
])('a cursor of %s that stands at %j is refused, not failed', expectNoCursorAt);

const scans = TaskSort.options.flatMap((sort) => [{ sort }, ...TaskStatus.options.map((status) => ({ sort, status }))]);

test.each(scans)('%o is read by an index scan, from the start and from the middle', async (asked) => {
  // The others are so common that any index of the order soon fills a page with them.
  const scan =
    'status' in asked && asked.status === 'Active'
      ? /Index Scan.* using task_by_status_(created|deadline|reward)/
      : /Index Scan.* on task/;
  await expectScan(scan, asked, (cursor) => taskList(db.database, { ...asked, cursor, limit: 25 }));
});
