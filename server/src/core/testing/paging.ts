import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Db } from '#server/core/db/db.ts';
import { beyond, readPlace } from '#server/core/db/keyset.ts';
import type { List } from '#server/core/db/list.ts';

type Page = { ids: string[]; nextCursor: string | null; previousCursor: string | null; total: unknown };
type ReadPage = (cursor: string | undefined) => Promise<Page>;

/** Reads all pages forward and then backward; both directions must return the same pages. */
export async function everyPage(readPage: ReadPage) {
  const forward = [await readPage(undefined)];
  for (let cursor = forward[0]?.nextCursor; cursor; cursor = forward.at(-1)?.nextCursor) {
    forward.push(await readPage(cursor));
  }
  const backward: Page[] = [];
  for (let cursor = forward.at(-1)?.previousCursor; cursor; cursor = backward.at(-1)?.previousCursor) {
    backward.push(await readPage(cursor));
  }
  const idsOf = ({ ids }: Page) => ids;
  expect(forward[0]?.previousCursor).toBeNull();
  expect(backward.reverse().map(idsOf)).toEqual(forward.slice(0, -1).map(idsOf));
  return { ids: forward.flatMap(idsOf), totals: forward.map(({ total }) => total) };
}

/** Returns the generic plan with which PostgreSQL scans a list, as EXPLAIN prints it. */
export async function planOfScan(db: Db, { rows, where, order, cursor, limit }: List) {
  const { where: past, order: inOrder } = beyond(order, readPlace(cursor, order));
  const { rows: versions } = await sql<{ number: number }>`
    select current_setting('server_version_num')::int as number`.execute(db);
  // PostgreSQL before 16 cannot explain a generic plan, only the plan for these values.
  const explain = (versions[0]?.number ?? 0) >= 160_000 ? sql`explain (generic_plan)` : sql`explain`;
  const plan = await sql<Record<string, string>>`
    ${explain} select item.* from ${rows} as item
    where ${sql.join([past, ...where], sql` and `)} order by ${inOrder} limit ${sql.lit(limit + 1)}`.execute(db);
  return plan.rows.flatMap((line) => Object.values(line)).join('\n');
}
