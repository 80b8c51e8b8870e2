import type { AuditFilter } from 'contract/audit-filter.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { runQuery } from '#server/core/db/db.ts';
import { beyond } from '#server/core/db/keyset.ts';
import { entryList } from './list-queries.ts';

const { db } = await testEnvironment();
const often = await addAdmin(db.database, { username: 'often', role: 'SuperAdmin' });
const seldom = await addAdmin(db.database, { username: 'seldom', role: 'SuperAdmin' });

const rows = 20_000;

// Nearly all rows have one caller, one feature and one action; the rare ones are the oldest, where a scan from the
// newest row would find them last.
await db.owner.transaction().execute(async (tx) => {
  await sql`set local statement_timeout = 0`.execute(tx);
  await sql`alter table audit_entry disable trigger all`.execute(tx);
  await sql`
    insert into audit_entry (seq, at, actor_id, action, subject_id, details, seal)
    select 1000 + n, timestamptz '2026-01-01' + n * interval '10 seconds',
      case when n in (5, 6, 7) then null when n <= 20 then ${seldom.id}::uuid else ${often.id}::uuid end,
      case when n in (3, 6, 21) then 'approvals.limit' when n <= 40 then 'users.promote'
        when n % 3 = 0 then 'tickets.create' else 'tickets.reply' end,
      case when n <= 30 then 'rare' else 'subject ' || n % 5000 end, '{}', '\\x00'
    from generate_series(1, ${sql.lit(rows)}) as n`.execute(tx);
  await sql`alter table audit_entry enable trigger all`.execute(tx);
});
await sql`analyze audit_entry`.execute(db.owner);

type Node = {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
};

/** Returns how many rows of the table a page of the list reads, whatever it keeps of them. */
async function rowsRead(filter: AuditFilter) {
  const { rows: table, order, searchFilter } = entryList(db.database, { ...filter, limit: 25 });
  const { order: inOrder } = beyond(order, undefined);
  const [explained] = await runQuery<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    db.database,
    sql`explain (analyze, format json) select item.* from ${table} as item
      where ${searchFilter?.scan ?? sql`true`} order by ${inOrder} limit 26`,
  );
  const plan = explained?.['QUERY PLAN'][0].Plan;
  if (!plan) throw new Error('There is no plan.');
  const nodes = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const scans = nodes(plan).filter((node) => node['Node Type'].includes('Scan'));
  expect(JSON.stringify(scans)).not.toContain('Seq Scan');
  const read = (node: Node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return scans.reduce((sum, node) => sum + read(node), 0);
}

const rare: AuditFilter = { caller: seldom.id, feature: 'approvals', action: 'approvals.limit', subject: 'rare' };
const days: AuditFilter = { from: '2026-01-01', to: '2026-01-01' };

/** Every combination of the filters. */
const parts = ['caller', 'feature', 'action', 'subject'] as const;
const combinations = Array.from({ length: 2 ** parts.length }, (_, bits) =>
  Object.fromEntries(parts.filter((_part, place) => bits & (2 ** place)).map((part) => [part, rare[part]])),
);

test.each(combinations)('a page narrowed by %j reads only rows of its page, in all days and in one', async (filter) => {
  for (const it of [filter, { ...filter, ...days }]) expect(await rowsRead(it)).toBeLessThan(100);
});

test('neither rows of the system nor a common caller with a rare action are searched for', async () => {
  expect(await rowsRead({ caller: 'system' })).toBeLessThan(100);
  expect(await rowsRead({ caller: 'system', feature: 'approvals' })).toBeLessThan(100);
  expect(await rowsRead({ caller: often.id, action: 'approvals.limit' })).toBeLessThan(100);
  expect(await rowsRead({ caller: often.id, feature: 'approvals' })).toBeLessThan(100);
  expect(await rowsRead({ caller: often.id, feature: 'tickets', ...days })).toBeLessThan(100);
});
