import { explainLine } from 'contract/explain.ts';
import { WithdrawalState } from 'contract/withdrawal-states.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { seedDemoAdmins } from '#server/features/admins/demo.ts';
import { listUserPayments } from '#server/features/runs/reading/user-payments.ts';
import { verifyAudit } from '#server/core/audit/audit.ts';
import { verifyBooks } from '../verify.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { loadDemo } from './load.ts';

/** A morning after a large stake ended on the day that is reversed, and the first minutes of a week. */
const timestamps = ['2026-11-03T08:00:00Z', '2026-11-16T00:11:00Z'];

async function loadedDemo(now: Date) {
  const db = await testDatabase();
  await seedDemoAdmins(db.owner);
  await loadDemo({ database: db.owner, pool: db.ownerPool }, now);
  return db;
}

const demos: [string, TestDatabase][] = [];
for (const timestamp of timestamps) demos.push([timestamp, await loadedDemo(new Date(timestamp))]);
afterAll(() => Promise.all(demos.map(([, db]) => db[Symbol.asyncDispose]())));

async function query(db: TestDatabase, text: string) {
  return (await sql.raw<Record<string, unknown>>(text).execute(db.owner)).rows;
}

const today = (timestamp: string) => `date '${timestamp.slice(0, 10)}'`;

test.each(demos)(
  'the demo as of %s has an active payout for each of the last thirty days, and one that was reversed and paid again',
  async (timestamp, db) => {
    const activePayouts = `select count(*)::int as runs, count(distinct day)::int as days, min(day) = ${today(timestamp)} - 30 as starts,
      max(day) = ${today(timestamp)} - 1 as ends
    from run where kind = 'stake-payout' and state = 'completed' and reverses is null
      and not exists (select from run as back where back.reverses = run.id)`;
    expect(await query(db, activePayouts)).toEqual([{ runs: 30, days: 30, starts: true, ends: true }]);
    const reversed = `select paid.period, paid.pays <> again.pays as differs
    from run as back join run as paid on paid.id = back.reverses
    join run as again on again.period = paid.period and again.kind = paid.kind and again.part = 1
    where back.state = 'completed' and again.state = 'completed'`;
    expect(await query(db, reversed)).toMatchObject([{ differs: true }]);
  },
);

test.each(demos)(
  'the demo as of %s has weekly distributions, a paid rank bonus, and one that is waiting for a second approver',
  async (_timestamp, db) => {
    const mondays = `select count(*)::int as runs, bool_and(extract(isodow from due_at) = 1) as mondays from run_due
    where kind = 'gmp-distro' and outcome = 'triggered'`;
    expect(await query(db, mondays)).toMatchObject([{ mondays: true }]);
    expect(Number((await query(db, mondays))[0]?.['runs'])).toBeGreaterThanOrEqual(4);
    const bonuses = `select run.state, run.skipped < run.lines as pays, approval.state as request, approval.rule
    from run left join approval on approval.subject_id = run.id where run.kind = 'rank-bonus' order by run.created_at`;
    expect(await query(db, bonuses)).toEqual([
      { state: 'completed', pays: true, request: 'approved', rule: 'limit' },
      { state: 'planned', pays: true, request: 'waiting', rule: null },
    ]);
  },
);

test.each(demos)(
  'the demo as of %s has two days that were paid late, in order, because no worker was running',
  async (timestamp, db) => {
    const late = `select day - ${today(timestamp)} as day from run_due join run on run.id = run_id
    where run_due.kind = 'stake-payout' and noted_at > due_at + interval '1 hour' order by noted_at`;
    expect(await query(db, late)).toEqual([{ day: -20 }, { day: -19 }]);
  },
);

test.each(demos)(
  'the demo as of %s has skipped payments with a reason, and pending, approved and denied requests',
  async (_timestamp, db) => {
    const skips = `select distinct skip from run_line where skip is not null`;
    expect(await query(db, skips)).toContainEqual({ skip: 'blacklisted' });
    const requests = `select kind, state, count(*)::int from approval
    where kind <> 'run' and rule is distinct from 'limit' group by 1, 2 order by 1, 2`;
    expect(await query(db, requests)).toEqual([
      { kind: 'withdrawal', state: 'waiting', count: 1 },
      { kind: 'withdrawal', state: 'approved', count: 1 },
      { kind: 'adjustment', state: 'denied', count: 1 },
      { kind: 'settings', state: 'waiting', count: 1 },
      { kind: 'settings', state: 'approved', count: 5 },
      { kind: 'promotion', state: 'approved', count: 1 },
    ]);
  },
);

test.each(demos)('the demo as of %s has withdrawals in every state', async (_timestamp, db) => {
  const states = await query(db, 'select distinct state::text from withdrawal order by 1');
  expect(states.map(({ state }) => state)).toEqual(WithdrawalState.options.toSorted());
});

test.each(demos)(
  'the demo as of %s has a decision for every run that started and every withdrawal and adjustment of the story',
  async (_timestamp, db) => {
    const decision = `select from approval where subject_id = item.id and state = 'approved'`;
    const undecided = `
      select id from run as item where started_at is not null and not exists (${decision} and units =
        pays + sets_aside + releases + case when reverses is null then 0 else returned end)
      union all select id from adjustment as item where posted_at is not null and not exists (${decision})
      union all select id from withdrawal as item where status = 'Completed' and decided_by is not null
        and not exists (${decision} and units = amount_usd)`;
    expect(await query(db, undecided)).toEqual([]);
    const byDay = `select requested_by from approval where rule = 'limit'
      group by requested_by, date_trunc('day', decided_at, 'UTC') having sum(units) > limit_of('alone', 'USD')`;
    expect(await query(db, byDay)).toEqual([]);
  },
);

test('the reversal has a second approver if it moves more than one administrator may move alone', async () => {
  const reversals = `select units > limit_of('alone', 'USD') as above, rule from run
    join approval on approval.subject_id = run.id where reverses is not null and approval.state = 'approved'`;
  const found = [];
  for (const [, db] of demos) found.push(...(await query(db, reversals)));
  expect(found).toEqual([
    { above: true, rule: 'second' },
    { above: false, rule: 'limit' },
  ]);
});

test.each(demos)(
  'the demo as of %s ends with the default settings, except for the enabled schedules',
  async (_timestamp, db) => {
    const inForce = `select distinct on (job) job, settings from job_settings order by job, version desc`;
    const settings = Object.fromEntries((await query(db, inForce)).map((row) => [row['job'], row['settings']]));
    expect(settings).toMatchObject({
      'stake-payout': { enabled: true, baseReward: 50, bonusReward: 20, loyaltyReward: 30 },
      'gmp-distro': { enabled: true, amount: '1000.00', percentage: 100 },
      'referral-check': { period: 30, reward: 5 },
    });
  },
);

test.each(demos)('the demo as of %s has timestamps in order, and none in the future', async (timestamp, db) => {
  const times = [
    ...['created_at', 'planned_at', 'started_at', 'ended_at'].map((column) => ['run', column]),
    ['transfer', 'at'],
    ['approval', 'requested_at'],
    ['approval', 'decided_at'],
    ['audit_entry', 'at'],
    ['job_settings', 'saved_at'],
    ...['decided_at', 'sent_at', 'unknown_at', 'settled_at'].map((column) => ['withdrawal', column]),
    ['stake', 'completed_at'],
    ['ticket', 'created_at'],
    ['ticket_reply', 'created_at'],
  ];
  for (const [table, column] of times) {
    expect(
      await query(db, `select ${column} from ${table} where ${column} > '${timestamp}'`),
      `${table}.${column}`,
    ).toEqual([]);
  }
  const disorder = `select from (select at, lag(at) over (order by seq) as before from audit_entry) as entry
    where at < before`;
  expect(await query(db, disorder)).toEqual([]);
  const unordered = `select from run
    where not (created_at <= planned_at and planned_at <= coalesce(started_at, planned_at)
      and coalesce(started_at, planned_at) <= coalesce(ended_at, started_at, planned_at))`;
  expect(await query(db, unordered)).toEqual([]);
  // The schedule starts a run within a minute of its plan; an administrator reviews it first.
  const startedLate = `select from run where started_at - planned_at > interval '1 hour'`;
  expect(await query(db, startedLate)).toEqual([]);
});

test.each(demos)(
  'the demo as of %s has a sound ledger and audit log, and a line of a plan for every reward of its runs',
  async (timestamp, db) => {
    expect(await verifyBooks(db.database)).toMatchObject({ differences: [] });
    expect(await verifyAudit(db.database)).toMatchObject({ sound: true });
    const unexplained = `select kind, count(*) from transfer
    where day >= ${today(timestamp)} - 30 and kind in ('stake-base', 'stake-bonus', 'stake-loyalty', 'loyalty', 'gmp', 'rank-bonus')
      and not exists (
        select from run_line as line
        where line.day = transfer.day and line.cause_id = transfer.cause_id and line.skip is null)
    group by 1`;
    expect(await query(db, unexplained)).toEqual([]);
  },
);

test.each(demos)(
  'the demo as of %s shows with each withdrawal the balance of its user just before the request',
  async (_timestamp, db) => {
    const held = `select item.id, item.balance_usd, item.gmp_shares, item.slx_points, before.*
    from withdrawal as item
    join transfer as hold on hold.kind = 'withdrawal' and hold.cause_id = item.id and hold.part = 0
    cross join lateral (
      select coalesce(sum(moved) filter (where asset = 'USD'), 0) as dollars,
        coalesce(sum(moved) filter (where asset = 'SHARE'), 0) as shares,
        coalesce(sum(moved) filter (where asset = 'SLX'), 0) as points
      from (
        select asset, gained('available', debit, credit, units) as moved from transfer
        where transfer.user_id = item.user_id and transfer.at < hold.at
      ) as own
    ) as before`;
    const differing = `select * from (${held}) as shown
    where row(balance_usd, gmp_shares, slx_points) is distinct from row(dollars, shares, points)`;
    expect(await query(db, `select count(*) > 200 as many from (${held}) as shown`)).toEqual([{ many: true }]);
    expect(await query(db, differing)).toEqual([]);
  },
);

test.each(demos)('the demo as of %s never has a negative available balance', async (_timestamp, db) => {
  const overdrawn = `select * from (
      select user_id, at, sum(gained('available', debit, credit, units)) over (partition by user_id order by at) as units
      from transfer where asset = 'USD' and user_id is not null
    ) as timestamp where units < 0`;
  expect(await query(db, overdrawn)).toEqual([]);
});

test.each(demos)(
  'the demo as of %s has the day of posting as the accounting day of every transfer that no run posted',
  async (_timestamp, db) => {
    const elsewhere = `select kind, day, at from transfer
    where day <> (at at time zone 'UTC')::date
      and (kind in ('deposit', 'referral', 'task', 'withdrawal', 'adjustment')
        or kind = 'funding' and cause_id not in (select id from run))`;
    expect(await query(db, elsewhere)).toEqual([]);
  },
);

test.each(demos)(
  'the demo as of %s has tickets whose amounts match transfers of the user who wrote them',
  async (_timestamp, db) => {
    const written = `select ticket.username, ticket.description, platform_user.id from ticket
    join platform_user on platform_user.username = ticket.username where ticket.description like '%$%'`;
    const tickets = await query(db, written);
    expect(tickets.length).toBeGreaterThanOrEqual(4);
    for (const { id, description } of tickets) {
      for (const [, amount] of String(description).matchAll(/\$([\d.,]*\d)/g)) {
        const moved = `select from transfer where user_id = '${String(id)}' and asset = 'USD'
        and units = ${String(amount).replaceAll(',', '')} * 1000000 limit 1`;
        expect(await query(db, moved), String(description)).toHaveLength(1);
      }
    }
  },
);

test.each(demos)(
  'the demo as of %s explains to jdoe88 why the stake bonus of a day was not paid',
  async (_timestamp, { database, owner }) => {
    const jdoe88 = owner.selectFrom('platformUser').select('id').where('username', '=', 'jdoe88');
    const { id: user } = await jdoe88.executeTakeFirstOrThrow();
    const { payments } = await listUserPayments(database, { user });
    const explanations = payments
      .filter(({ run, line }) => run.kind === 'stake-payout' && run.reverses === null && line.paid)
      .map(explainLine);
    const bonuses = explanations.map(({ components }) => components.find(({ code }) => code === 'stake-bonus'));
    expect(bonuses).toContainEqual(
      expect.objectContaining({ amount: '0.10', decision: expect.objectContaining({ code: 'no-rank' }) }),
    );
  },
);
