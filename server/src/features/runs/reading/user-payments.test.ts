import { type RawBuilder, sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { runQuery } from '#server/core/db/db.ts';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { type TestDatabase, testDatabase } from '#server/core/testing/database.ts';
import { runsOf, setRunLimit, steeringOf, testReason } from '#server/core/testing/runs.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addStake, fillTreasury } from '#server/core/testing/stakes.ts';
import { addUser } from '#server/core/testing/user.ts';
import { isOfUsers } from './line-queries.ts';
import { linesOfUser } from './user-payment-queries.ts';
import { listUserPayments } from './user-payments.ts';

/* Everything that runs planned, paid, skipped or reversed for one user. */
let db: TestDatabase;
let runs: ReturnType<typeof runsOf>;
let user: string;
beforeEach(async () => {
  db = await testDatabase();
  runs = runsOf(db);
  await addAdmin(db.owner, { username: 'ann' });
  await fillTreasury(db.owner, 'USD', 10n ** 12n);
  await setRunLimit(db.owner, 10n ** 15n);
  user = (await addUser(db.owner)).id;
  await addStake(db.owner, { userId: user, units: 500_000_000n, placedOn: '2026-03-01' });
  return () => db[Symbol.asyncDispose]();
});

async function planFor(day: number) {
  const { id } = await runs.create('stake-payout', new Date(Date.UTC(2026, 2, day + 1, 12)));
  return runs.plan(id);
}

async function pay({ id }: { id: string }) {
  await runs.start(id);
  return runs.pay(id);
}

const setBlacklisted = (isBlacklisted: boolean) =>
  sql`update platform_user set blacklisted_at = case when ${isBlacklisted} then now() end,
      blacklist_reason = case when ${isBlacklisted} then 'Fraud' end
    where id = ${user}`.execute(db.owner);

async function everyPage() {
  const all = [];
  const sizes = [];
  let before: string | undefined;
  do {
    const page = await listUserPayments(db.database, { user, before });
    all.push(...page.payments);
    sizes.push(page.payments.length);
    before = page.olderThan ?? undefined;
  } while (before !== undefined);
  return { payments: all, sizes };
}

/** "03-10 paid 0.25" */
async function listedPayments() {
  const { payments } = await everyPage();
  return payments.map(({ run, line: { skip, isSkippedSince, paid, reversed, base } }) => {
    const outcome = skip === null ? (paid ? 'paid' : run.state) : `${skip}${isSkippedSince ? ' since' : ''}`;
    return [run.day.slice(5), run.reverses && 'reversal', outcome, reversed && 'reversed', base]
      .filter((word) => word !== null && word !== false)
      .join(' ');
  });
}

test('a user’s payments are listed with every outcome, newest run first', async () => {
  const first = await pay(await planFor(10));
  const dropped = await planFor(11);
  await runs.start(dropped.id);
  await setBlacklisted(true);
  await runs.pay(dropped.id);
  await pay(await planFor(12));
  await setBlacklisted(false);
  await pay(await runs.reverse(first.id));
  // Nobody is paid before the reversed day.
  const again = await planFor(10);
  await steeringOf(db).steer(again.id, 'cancel');
  await planFor(10);
  expect(await listedPayments()).toEqual([
    '03-10 planned 0.25',
    '03-10 cancelled 0.25',
    '03-10 reversal paid 0.25',
    '03-12 blacklisted 0.00',
    '03-11 blacklisted since 0.25',
    '03-10 paid reversed 0.25',
  ]);
});

test('each payment has the settings that explain it, and runs that did not consider the user are left out', async () => {
  await pay(await planFor(10));
  const { id: bonus } = await runs.create('rank-bonus', new Date('2026-03-11T12:00:00Z'));
  await runs.plan(bonus);
  const { payments, olderThan } = await listUserPayments(db.database, { user });
  expect(payments).toMatchObject([
    { run: { kind: 'stake-payout', day: '2026-03-10' }, settings: { baseReward: 50, bonusReward: 20 }, inputs: {} },
  ]);
  expect(olderThan).toBeNull();
});

test.each(['planning', 'failed', 'cancelled'])('an incomplete plan that is %s is not listed', async (state) => {
  const { id } = await planFor(10);
  expect(await listedPayments()).toHaveLength(1);
  await sql`alter table run disable trigger user`.execute(db.owner);
  await sql`update run set state = ${state}::run_state, plan_hash = null, why = ${testReason},
    ended_at = case when ${state} = 'cancelled' then now() end where id = ${id}`.execute(db.owner);
  expect(await listedPayments()).toEqual([]);
});

test('pages of a user with many stakes contain every payment once, also in the middle of a run', async () => {
  for (let more = 0; more < 19; more += 1) {
    await addStake(db.owner, { userId: user, units: 1_000_000_000n, placedOn: '2026-03-01' });
  }
  for (const day of [10, 11, 12]) await pay(await planFor(day));
  const { payments, sizes } = await everyPage();
  expect(sizes).toEqual([25, 25, 10]);
  expect(new Set(payments.map(({ run, line }) => `${run.id} ${line.cause}`)).size).toBe(60);
  expect(payments.map(({ run }) => run.day)).toEqual(
    payments
      .map(({ run }) => run.day)
      .toSorted()
      .toReversed(),
  );
});

test('a page looks at a thousand runs at most, and the next one continues behind them', async () => {
  const { id: oldest } = await pay(await planFor(10));
  await sql`alter table run disable trigger user`.execute(db.owner);
  await sql`
    insert into run (kind, period, day, as_of, part, asset, settings, settings_version, plan_hash, state, why, ended_at, created_at)
    select 'gmp-distro', '2026-03-' || n, '2026-03-10', '2026-03-10', 0, 'GMP', '{}', 1, '', 'cancelled', '{"code": "text", "params": {"text": ""}}',
      now(), now() + n * interval '1 minute'
    from generate_series(1, 1500) as n`.execute(db.owner);
  const first = await listUserPayments(db.database, { user });
  expect(first.payments).toEqual([]);
  const second = await listUserPayments(db.database, { user, before: first.olderThan ?? undefined });
  expect(second.payments).toMatchObject([{ run: { id: oldest } }]);
  expect(second.olderThan).toBeNull();
});

test('a cursor of an unknown run is refused', async () => {
  await expect(listUserPayments(db.database, { user, before: user })).rejects.toThrow('InvalidCursor');
});

type Node = { 'Node Type': string; Alias?: string; 'Index Name'?: string; 'Actual Loops': number; Plans?: Node[] };
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Adds completed runs of the past, each with a line for every user. */
async function addPastRuns(count: number) {
  for (const table of ['run', 'run_line', 'run_chunk']) {
    await sql`alter table ${sql.table(table)} disable trigger user`.execute(db.owner);
  }
  await sql`
    insert into run (kind, period, day, as_of, part, asset, settings, settings_version, state, plan_hash, started_at, ended_at, created_at)
    select 'stake-payout', n, date '2026-03-01' - n, date '2026-03-01' - n, 0, 'USD', '{}', 1, 'completed', '', now(), now(), now() - n * interval '1 day'
    from generate_series(1, ${count}) as n`.execute(db.owner);
  await sql`
    insert into run_line (run_id, day, user_id, cause_id, part, input)
    select run.id, run.day, platform_user.id, platform_user.id, 0, 1 from run, platform_user`.execute(db.owner);
}

/** "Index Scan of run_line_pkey, 27 times" */
async function scansOf(query: RawBuilder<unknown>) {
  const [explained] = await runQuery<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    db.database,
    sql`explain (analyze, format json) ${query}`,
  );
  const nodes = explained ? nodesOf(explained['QUERY PLAN'][0].Plan) : [];
  const scans = nodes.filter(({ Alias, ...node }) => Alias?.startsWith('line') && node['Actual Loops'] > 0);
  return scans.map((scan) => `${scan['Node Type']} of ${scan['Index Name']}, ${scan['Actual Loops']} times`);
}

test('each run costs one lookup in the key of its lines, and the lookups stop when the page is full', async () => {
  await addCrowd(db.owner, { users: 1_000, placedOn: '2026-03-01' });
  await addPastRuns(100);
  await sql`analyze`.execute(db.owner);
  // A page has 25 payments, one more is read, and the sort reads one further run.
  const inKey = 'Index Scan of run_line_earlier_pkey';
  expect(await scansOf(linesOfUser({ user, place: undefined }))).toEqual([`${inKey}, 27 times`]);
  // The page of a run looks up the lines of a user in the same way.
  const ofRun = sql`select line.* from run_line as line
    where line.run_id = (select id from run limit 1) and line.day = (select day from run limit 1)`;
  expect(await scansOf(sql`${ofRun} and ${isOfUsers([user])}`)).toEqual([`${inKey}, 1 times`]);
});
