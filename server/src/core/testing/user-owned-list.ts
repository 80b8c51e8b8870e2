import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Tx } from '#server/core/db/db.ts';
import type { List } from '#server/core/db/list.ts';
import type { TestDatabase } from './database.ts';
import { everyPage, planOfScan } from './paging.ts';
import type { testServer } from './server.ts';

/** Adds 300 users: one with a rare name, and every second one with a common name. */
export const addCrowd = (tx: Tx) =>
  sql`
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
    select 'U' || n, case when n = 7 then 'seldom.seen' when n % 2 = 0 then 'frequent' || n else 'user' || n end,
      'wallet' || n, 'sol' || n, 'REF' || n from generate_series(1, 300) as n`.execute(tx);

type Environment = { db: TestDatabase; server: Awaited<ReturnType<typeof testServer>>; token: string };

/** A user-owned list as its feature serves it. */
type Served = {
  path: string;
  /** The field of the response that contains the rows. */
  rows: string;
  table: string;
  columns: Record<string, string>;
  defaultSort: string;
  /** SQL for the searched text, of the row (`item`) or of its user (`owner`). */
  searchedIn: string;
};

type Narrow = { sort?: string; status?: string; user?: string; search?: string };
type Answer = { nextCursor: string | null; previousCursor: string | null; total: { count: number; capped: boolean } };
type Row = { id: string; userUuid: string };

function readersOf({ db, server, token }: Environment, served: Served) {
  const ask = (query: Record<string, string>) =>
    server.call('GET', `${served.path}?${new URLSearchParams(query).toString()}`, { token });

  async function list(query: Record<string, string>) {
    const { status, json } = await ask(query);
    expect(status, JSON.stringify(json)).toBe(200);
    const rows = json[served.rows] as Row[];
    const { nextCursor, previousCursor, total } = json as Answer;
    return { rows, ids: rows.map(({ id }) => id), nextCursor, previousCursor, total };
  }

  /** The ids of the whole list, selected with SQL. */
  async function wholeList({ sort = served.defaultSort, status, user, search }: Narrow) {
    const direction = sort.startsWith('-') ? 'desc' : 'asc';
    const column = served.columns[sort.replace('-', '')];
    const { rows } = await sql<{ id: string }>`
      select item.id from ${sql.table(served.table)} as item join platform_user as owner on owner.id = item.user_id
      where (${status ?? null}::text is null or item.status::text = ${status ?? null})
        and (${user ?? null}::uuid is null or item.user_id = ${user ?? null}::uuid)
        and (${search ?? null}::text is null or strpos(lower(${sql.raw(served.searchedIn)}), lower(${search ?? null})) > 0)
      order by ${sql.raw(`item.${column} ${direction}, item.id ${direction}`)}`.execute(db.owner);
    return rows.map(({ id }) => id);
  }

  return { ask, list, wholeList };
}

export function ownedListOf(environment: Environment, served: Served) {
  const { ask, list, wholeList } = readersOf(environment, served);

  /** Expects the pages to be the whole list, and returns its length. */
  async function expectWhole(query: Narrow, limit = 70) {
    const whole = await wholeList(query);
    const { ids, totals } = await everyPage((cursor) =>
      list({ ...query, limit: String(limit), ...(cursor && { cursor }) }),
    );
    expect(ids).toEqual(whole);
    for (const total of totals) expect(total).toEqual({ count: whole.length, capped: false });
    return whole.length;
  }

  /** Reads the first page, the second, and the first again. */
  async function expectFirstPages(query: Narrow) {
    const whole = await wholeList(query);
    const first = await list({ ...query, limit: '40' });
    const second = await list({ ...query, limit: '40', cursor: String(first.nextCursor) });
    const back = await list({ ...query, limit: '40', cursor: String(second.previousCursor) });
    const shown = [first, second, back].map(({ ids }) => ids);
    expect(shown).toEqual([whole.slice(0, 40), whole.slice(40, 80), whole.slice(0, 40)]);
    expect(first.total).toEqual({ count: whole.length, capped: false });
  }

  async function expectTooManyToCount(search: string) {
    const whole = await wholeList({ search });
    expect(whole.length).toBeGreaterThan(30_000);
    const first = await list({ search });
    const second = await list({ search, cursor: String(first.nextCursor) });
    expect([...first.ids, ...second.ids]).toEqual(whole.slice(0, 50));
    expect(first.total).toEqual({ count: 10_000, capped: true });
  }

  async function expectNone(search: string) {
    const none = { rows: [], ids: [], nextCursor: null, previousCursor: null, total: { count: 0, capped: false } };
    expect(await list({ search })).toEqual(none);
  }

  /** Expects this scan from the start and from the middle of the list. */
  async function expectScan(scan: RegExp, query: Narrow, listFrom: (cursor: string | undefined) => List) {
    const { nextCursor } = await list({ ...query, limit: '100' });
    for (const cursor of [undefined, nextCursor ?? undefined]) {
      const plan = await planOfScan(environment.db.database, listFrom(cursor));
      expect(plan).toMatch(scan);
      expect(plan).not.toMatch(/Seq Scan|Sort/);
    }
  }

  async function expectNoCursorAt(sort: string, value: string) {
    const at = [value, '019c0000-0000-7000-8000-000000000000'];
    const cursor = Buffer.from(JSON.stringify({ sort, way: 'next', at, row: 1 })).toString('base64url');
    expect([400, 422]).toContain((await ask({ sort, cursor })).status);
  }

  return {
    list,
    wholeList,
    expectWhole,
    expectFirstPages,
    expectTooManyToCount,
    expectNone,
    expectScan,
    expectNoCursorAt,
  };
}
