import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addCrowd } from '#server/core/testing/user-owned-list.ts';
import { everyPage, planOfScan } from '#server/core/testing/paging.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { post, reverse } from './ledger.ts';
import { transferList } from './queries.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann', permissionSet: 'Auditor' });
const token = await server.signIn('ann');

// Many transfers on few days, in more than one partition, with one rare kind.
await db.owner.transaction().execute(async (tx) => {
  await sql`set local statement_timeout = 0`.execute(tx);
  await addCrowd(tx);
  await sql`
    insert into transfer (day, kind, cause_id, part, user_id, asset, debit, credit, units)
    select current_date - (n % 70), (case when n % 97 = 0 then 'task' else 'stake-base' end)::transfer_kind,
      gen_random_uuid(), 0, owner.id, 'USD', (case when n % 97 = 0 then 'task_rewards' else 'stake_rewards' end)::ledger_account,
      'available', n
    from generate_series(1, 40000) as n
    join (select id, row_number() over (order by length(user_id), user_id) as place from platform_user) as owner
      on owner.place = 1 + n % 300`.execute(tx);
});
await sql`analyze`.execute(db.owner);

type ListedTransfer = { id: string; amount: string; user: { id: string; username: string } | null };
type Answer = { nextCursor: string | null; previousCursor: string | null; total: { count: number; capped: boolean } };

async function list(query: Record<string, string>) {
  const search = new URLSearchParams(query).toString();
  const { status, json } = await server.call('GET', `/api/ledger/transfers?${search}`, { token });
  expect(status, JSON.stringify(json)).toBe(200);
  const transfers = json['transfers'] as ListedTransfer[];
  return { ...(json as Answer), transfers, ids: transfers.map(({ id }) => id) };
}

/** The whole list, selected with SQL. */
async function whole(condition: string) {
  const { rows } = await sql<{ reference: string }>`
    select to_char(day, 'YYYYMMDD') || '-' || id as reference from transfer
    where ${sql.raw(condition)} order by day desc, id desc`.execute(db.owner);
  return rows.map(({ reference }) => reference);
}

const { id: seldom } = await db.owner
  .selectFrom('platformUser')
  .select('id')
  .where('username', '=', 'seldom.seen')
  .executeTakeFirstOrThrow();
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

test.each([
  ['of a rare kind', { kind: 'task' }, `kind = 'task'`],
  ['of one user', { user: seldom }, `user_id = '${seldom}'`],
  ['of one user and kind', { user: seldom, kind: 'stake-base' }, `user_id = '${seldom}' and kind = 'stake-base'`],
  ['of one day', { from: daysAgo(40), to: daysAgo(40) }, `day = '${daysAgo(40)}'`],
  ['since a day', { from: daysAgo(3) }, `day >= '${daysAgo(3)}'`],
  ['up to a day, of a kind', { to: daysAgo(60), kind: 'task' }, `day <= '${daysAgo(60)}' and kind = 'task'`],
])('the pages of the transfers %s are the whole list, forward and back', async (_what, query, condition) => {
  const { ids, totals } = await everyPage((cursor) => list({ ...query, limit: '99', ...(cursor && { cursor }) }));
  const expected = await whole(condition);
  expect(expected.length).toBeGreaterThan(5);
  expect(ids).toEqual(expected);
  for (const total of totals) expect(total).toEqual({ count: expected.length, capped: false });
});

test('the newest day comes first, 25 rows a page, and all are counted', async () => {
  const { ids, total, nextCursor } = await list({});
  const all = await whole('true');
  expect(ids).toEqual(all.slice(0, 25));
  expect(total).toEqual({ count: all.length, capped: false });
  expect((await list({ cursor: String(nextCursor) })).ids).toEqual(all.slice(25, 50));
});

test('transfers over many days are counted up to a limit', async () => {
  expect((await list({ from: daysAgo(60) })).total).toEqual({ count: 10_000, capped: true });
});

test.each([{}, { kind: 'task' as const }, { user: seldom }])(
  '%o is read by an index scan, from the start and from the middle',
  async (query) => {
    const { nextCursor } = await list({ ...query, limit: '20' });
    for (const cursor of [undefined, nextCursor ?? undefined]) {
      const plan = await planOfScan(db.database, transferList(db.database, { ...query, cursor, limit: 25 }));
      expect(plan).toMatch(/Index Scan/);
      expect(plan).not.toMatch(/Seq Scan on transfer_2|Seq Scan on transfer_e|Sort/);
    }
  },
);

test.each(['kind=payout', 'user=me', 'from=yesterday', 'limit=101', 'sort=amount'])(
  'a list request with %s returns 400',
  async (query) => {
    expect((await server.call('GET', `/api/ledger/transfers?${query}`, { token })).status).toBe(400);
  },
);

test.each([
  ['2026-11-15', '019c0000-0000-7000-8000-000000000000'],
  ['2026-11-15', '-1'],
  ['2026-11-15', '99999999999999999999'],
])('a cursor at %s and %s is refused with InvalidCursor', async (day, id) => {
  const cursor = Buffer.from(JSON.stringify({ sort: '-day', way: 'next', at: [day, id], row: 1 })).toString(
    'base64url',
  );
  const { status, json } = await server.call('GET', `/api/ledger/transfers?cursor=${cursor}`, { token });
  expect({ status, code: json['code'] }).toEqual({ status: 422, code: 'InvalidCursor' });
});

test('a cursor without a valid day returns 400', async () => {
  const cursor = Buffer.from(JSON.stringify({ sort: '-day', way: 'next', at: ['someday', '1'], row: 1 })).toString(
    'base64url',
  );
  expect((await server.call('GET', `/api/ledger/transfers?cursor=${cursor}`, { token })).status).toBe(400);
});

test('a transfer is returned with its user, its cause and its reversal', async () => {
  const user = await addUser(db.owner, { username: 'mira' });
  const causeId = randomUUID();
  const move = { asset: 'USD', debit: 'task_rewards', credit: 'available', units: 12_500_000n } as const;
  await db.database
    .transaction()
    .execute((tx) => post(tx, [{ day: '2026-03-04', kind: 'task', causeId, part: 0, userId: user.id, ...move }]));
  await db.database.transaction().execute((tx) => reverse(tx, { kind: 'task', causeId, part: 0 }));
  const { transfers } = await list({ user: user.id });
  const [reversal, original] = transfers;
  const common = { kind: 'task', cause: causeId, user: { id: user.id, username: 'mira', isDeleted: false } };
  expect(original).toEqual({
    ...common,
    id: expect.stringMatching(/^20260304-\d+$/),
    day: '2026-03-04',
    postedAt: expect.stringMatching(/Z$/),
    asset: 'USD',
    amount: '12.50',
    from: 'task_rewards',
    to: 'available',
    reverses: null,
  });
  expect(reversal).toMatchObject({
    ...common,
    amount: '12.50',
    from: 'available',
    to: 'task_rewards',
    reverses: original?.id,
  });

  const read = async (reference = '') =>
    (await server.call('GET', `/api/ledger/transfers/${reference}`, { token })).json;
  expect(await read(original?.id)).toEqual({
    transfer: original,
    reversedBy: reversal?.id,
    adjusted: null,
    bookedBy: null,
  });
  expect(await read(reversal?.id)).toEqual({ transfer: reversal, reversedBy: null, adjusted: null, bookedBy: null });
});

test.each(['20260304-999999999', '20269999-1'])('the transfer %s is not found', async (reference) => {
  const { status, json } = await server.call('GET', `/api/ledger/transfers/${reference}`, { token });
  expect({ status, code: json['code'] }).toEqual({ status: 404, code: 'TransferNotFound' });
});

test('balances are returned by account and asset, exact to the unit', async () => {
  const { json } = await server.call('GET', '/api/ledger/balances', { token });
  const { rows } = await sql<{
    units: bigint;
  }>`select sum(units)::bigint as units from transfer where kind = 'stake-base'`.execute(db.owner);
  const units = String(rows[0]?.units);
  const expected = `-${units.slice(0, -6)}.${units.slice(-6).replace(/0{1,4}$/, '')}`;
  expect(json['balances']).toContainEqual({ account: 'stake_rewards', asset: 'USD', amount: expected });
});
