import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { verifyBooks } from '../verify.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { seedDemoTickets } from '#server/features/tickets/demo.ts';
import { recount } from './indexes.ts';
import { loadDemoWithoutRuns, loadScale } from './load.ts';
import type { Owner } from './owner.ts';

const now = new Date('2026-11-15T08:00:00Z');

async function filled(load: (owner: Owner) => Promise<void>) {
  const db = await testDatabase();
  await load({ database: db.owner, pool: db.ownerPool });
  return db;
}

// Loaded once, because most tests only read.
const demo = await filled(async (owner) => {
  await seedDemoTickets(owner.database);
  await loadDemoWithoutRuns(owner, now);
});
const scale = await filled((owner) => loadScale(owner, 3_000, now));
afterAll(() => Promise.all([demo[Symbol.asyncDispose](), scale[Symbol.asyncDispose]()]));

async function query(db: TestDatabase, text: string) {
  return (await sql.raw<Record<string, unknown>>(text).execute(db.owner)).rows;
}

test('the demo has the months, kinds, tasks, statuses and the share of active users that the specification fixes', async () => {
  const months = `select to_char(month, 'Mon') as month from
    (select date_trunc('month', created_at at time zone 'UTC') as month from platform_user group by 1) as had order by had.month`;
  expect((await query(demo, months)).map(({ month }) => month)).toEqual([
    'Jan',
    'Feb',
    'Mar',
    'Apr',
    'May',
    'Jun',
    'Jul',
  ]);
  const active = `select 100 * count(*) filter (where last_active_on > date '2026-11-15' - 30) / count(*) as percent,
    count(*) % 25 as rest from platform_user`;
  expect(await query(demo, active)).toEqual([{ percent: 76n, rest: 0n }]);
  expect(await query(demo, 'select distinct kind from activity_hour where count > 0')).toHaveLength(9);
  const titles = (await query(demo, 'select distinct title from task')).map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(['Invite 5 friends', 'Connect wallet']));
  expect(await query(demo, 'select distinct status from withdrawal')).toHaveLength(3);
  expect(await query(demo, 'select distinct status from stake')).toHaveLength(2);
  expect(await query(demo, 'select distinct status from task')).toHaveLength(2);
});

/** Statements that the ledger could contradict: about a user's own money and rank, about amounts, and about times. */
const claims = [
  /\b(?:my|your) (?:[\w-]+ )?(?:stake|withdrawal|balance|rank|referral|reward|task|shares)\b/i,
  /\bI (?:finished|received|staked|should be)\b/i,
  /\$|\d|\b(?:today|yesterday|just now|last week|since|this morning)\b/i,
];

test.each([
  ['demo', demo, 64],
  ['scale', scale, 300],
])('the tickets of the %s make no claims that the ledger could contradict', async (_size, db, count) => {
  const texts = `select id, concat_ws(' ', description, response,
      (select string_agg(message, ' ') from ticket_reply where ticket_id = ticket.id)) as said from ticket`;
  const tickets = await query(db, texts);
  expect(tickets).toHaveLength(count);
  for (const claim of claims) {
    const claiming = tickets.map(({ said }) => String(said)).filter((said) => claim.test(said));
    expect([...new Set(claiming)], String(claim)).toEqual([]);
  }
});

const counters = {
  user_count: 'select measure, at, sum(delta) from user_count group by 1, 2 having sum(delta) <> 0 order by 1, 2',
  withdrawal_count: 'select status, sum(delta), sum(amount_usd) from withdrawal_count group by 1 order by 1',
  stake_count: 'select status, sum(delta), sum(amount_usd) from stake_count group by 1 order by 1',
  task_count: 'select status, sum(delta) from task_count group by 1 order by 1',
};

test('recount gives the same counters as the triggers', async () => {
  const byTriggers = new Map<string, unknown>();
  for (const [table, question] of Object.entries(counters)) {
    byTriggers.set(table, await query(demo, question));
    await query(demo, `delete from ${table}`);
  }
  await recount(demo.ownerPool);
  for (const [table, question] of Object.entries(counters)) {
    expect(await query(demo, question), table).toEqual(byTriggers.get(table));
  }
});

const contents = {
  platform_user: '*',
  team: '*',
  user_total: '*',
  // Without the plan id, which differs between databases.
  stake: 'id, stake_id, user_id, amount_usd, amount_sol, days, status, created_at, ends_on, completed_at',
  withdrawal: '*',
  task: '*',
  activity_hour: '*',
};

test('loadScale makes the same data every time, and restores every index, key and trigger', async () => {
  await using one = await filled((owner) => loadScale(owner, 300, now));
  await using other = await filled((owner) => loadScale(owner, 300, now));
  for (const [table, columns] of Object.entries(contents)) {
    const digest = `select count(*), md5(string_agg(md5(t::text), '' order by t::text)) from (select ${columns} from ${table}) as t`;
    expect(await query(other, digest), table).toEqual(await query(one, digest));
  }
  await using untouched = await testDatabase();
  const kept = `select 'index' as what, pg_get_indexdef(indexrelid) as how from pg_index where indrelid::regclass::text not like 'pg_%'
    union all select 'key', conname || pg_get_constraintdef(oid) from pg_constraint where contype in ('f', 'u', 'p')
    union all select 'trigger', tgname || tgenabled::text from pg_trigger where not tgisinternal order by 1, 2`;
  expect(await query(one, kept)).toEqual(await query(untouched, kept));
});

test('team figures match the referral tree, and no balance is negative', async () => {
  const wrong = `
    with recursive climbing as (
      select id as member, sponsor_id as above from platform_user where sponsor_id is not null
      union all
      select member, sponsor_id from climbing join platform_user on id = above where sponsor_id is not null
    ), truth as (
      select above, count(distinct member) as network, coalesce(sum(amount_usd), 0) as volume
      from climbing left join stake on stake.user_id = member group by above
    )
    select * from truth full join team on team.user_id = above
    where network is distinct from total_network or volume is distinct from volume_usd`;
  expect(await query(scale, wrong)).toEqual([]);
  expect(await query(scale, 'select from user_total where available_usd < 0 or deposit_usd < 0')).toEqual([]);
  expect(await query(scale, 'select max(total_network) as largest from team')).toEqual([{ largest: 428n }]);
});

test.each([
  ['demo', demo],
  ['scale', scale],
])('the ledger of the %s is sound, and matches the active stakes and pending withdrawals', async (_size, db) => {
  expect(await verifyBooks(db.database)).toMatchObject({ differences: [] });
  const differing = `
    select total.user_id from user_total as total
    left join (select user_id, sum(amount_usd) as staked from stake where status = 'Active' group by 1) as stakes
      using (user_id)
    left join (select user_id, sum(amount_usd) as held from withdrawal where status = 'Pending' group by 1) as pending
      using (user_id)
    where staked_usd <> coalesce(staked, 0) or withdrawing_usd <> coalesce(held, 0)`;
  expect(await query(db, differing)).toEqual([]);
});

test('the totals of the demo match its completed withdrawals and rewarded tasks', async () => {
  const differing = `
    select total.user_id from user_total as total
    left join (select user_id, sum(amount_usd) as taken from withdrawal where status = 'Completed' group by 1) as paid
      using (user_id)
    left join (select user_id, sum(reward_usd) as got from task where rewarded group by 1) as rewards using (user_id)
    where withdrawn_usd <> coalesce(taken, 0) or task_rewards_usd <> coalesce(got, 0)`;
  expect(await query(demo, differing)).toEqual([]);
  const overdrawn = `select account from ledger_balance where account <> 'outside' group by account having sum(units) < 0`;
  expect(await query(demo, overdrawn)).toEqual([]);
});
