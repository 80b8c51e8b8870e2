import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { listedAtMost } from 'contract/referrals.ts';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { connect } from '#server/core/db/db.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { treeOf } from '#server/core/testing/tree.ts';
import { makeReport } from './check.ts';

const environment = await testEnvironment();
const { db } = environment;
const tree = await treeOf(environment);

const join = async (sponsorId: string | null = null) => (await addUser(db.owner, { sponsorId })).id;
const stake = (id: string) =>
  sql`insert into stake (stake_id, user_id, plan_id, amount_usd, amount_sol, days, daily_rate_ppm, ends_on)
    select ${randomUUID()}, ${id}::uuid, id, 5000000, 7, days, daily_rate_ppm, now() from stake_plan limit 1`.execute(
    db.owner,
  );
const damage = (id: string, more: number) =>
  sql`insert into team (user_id, total_network) values (${id}::uuid, ${more})
    on conflict (user_id) do update set total_network = team.total_network + ${more}`.execute(db.owner);

/** Without a pause the tree would grow too fast: every report would read many more users than the last. */
const pauseMs = 3;

/** Users join and stake at all levels, and two workers fold deltas, while the work runs. */
async function whileUsersJoin<T>(roots: readonly string[], work: () => Promise<T>) {
  let busy = true;
  const folding = Array.from({ length: 2 }, async () => {
    while (busy) {
      await tree.fold({ rows: 7, batches: 3 });
      await wait(pauseMs);
    }
  });
  const joining = roots.map(async (root) => {
    let last = root;
    for (let turn = 0; busy; turn += 1) {
      last = await join(turn % 5 === 0 ? root : last);
      if (turn % 2 === 0) await stake(last);
      await wait(pauseMs);
    }
  });
  try {
    return await work();
  } finally {
    busy = false;
    await Promise.all([...folding, ...joining]);
  }
}

test('users who join or stake during a report neither cause nor hide a finding', async () => {
  const roots = [await join(), await join(), await join()];
  const [damaged = ''] = roots;
  await damage(damaged, 3);
  await whileUsersJoin(roots, async () => {
    for (let round = 0; round < 15; round += 1) {
      const report = await tree.check();
      expect(report.wrong).toMatchObject({ users: 1, totalNetwork: 1, referralCount: 0, totalTeamVolumeUSD: 0 });
      const [correction] = await tree.correctionsOf(report.id);
      expect(correction?.user.id).toBe(damaged);
      expect((correction?.stored.totalNetwork ?? 0) - (correction?.tree.totalNetwork ?? 0)).toBe(3);
    }
  });
}, 60_000);

test('a repair adds the difference once, even with concurrent folding and concurrent repairs', async () => {
  const report = await tree.check();
  expect(report.wrong.users).toBe(1);
  expect(await tree.askRepair(report)).toMatchObject({ status: 200 });
  await tree.decide(await tree.requestFor(report.id));
  const roots = [await join(), await join()];
  await whileUsersJoin(roots, () => Promise.all([tree.repairNow(report.id), tree.repairNow(report.id)]));
  await tree.repairNow(report.id);
  expect((await tree.check()).wrong.users).toBe(0);
  await tree.foldAll();
  expect((await tree.check()).wrong.users).toBe(0);
});

test('an interrupted report is started over, and a failed one stores the reason', async () => {
  const stopped = (await tree.ask()).report?.id ?? '';
  const stopping = new AbortController();
  stopping.abort(new Error('The worker stops.'));
  await expect(tree.work(stopped, stopping.signal)).rejects.toThrow('The worker stops.');
  expect(await tree.read()).toMatchObject({ newest: { id: stopped } });
  await tree.work(stopped);
  expect(await tree.read()).toMatchObject({ newest: { id: stopped, state: 'done', progress: 100 } });

  const { database: hurried } = connect({
    url: db.url,
    role: 'bursar_worker',
    connections: 3,
    statementTimeoutMs: 300,
    onLostConnection: () => undefined,
  });
  afterAll(() => hurried.destroy());
  const late = (await tree.ask()).report?.id ?? '';
  const inTheWay = db.owner.transaction().execute(async (tx) => {
    await sql`lock table stake in access exclusive mode`.execute(tx);
    await expect(makeReport({ database: hurried }, late, new AbortController().signal)).rejects.toThrow('timeout');
  });
  await inTheWay;
  const { newest, finished } = await tree.read();
  expect(newest).toMatchObject({ id: late, state: 'failed', why: 'canceling statement due to statement timeout' });
  expect(finished.id).toBe(stopped);
});

test('concurrent workers on the same report complete it', async () => {
  const id = (await tree.ask()).report?.id ?? '';
  const made = await Promise.allSettled([tree.work(id), tree.work(id), tree.work(id)]);
  expect(made.some(({ status }) => status === 'fulfilled')).toBe(true);
  await eventually(async () => (await tree.read()).newest.state === 'done');
});

test('a chain that is longer than folding follows is reported for the users beyond the limit', async () => {
  const numbered = sql`('019c0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid`;
  await sql`
    insert into platform_user (id, user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id)
    select ${numbered}, 'L' || n, 'long' || n, 'long' || n, 'long' || n, 'LONG' || n,
      lag(${numbered}) over (order by n)
    from generate_series(1, 1003) as n`.execute(db.owner);
  await tree.foldAll({ rows: 200 });
  const report = await tree.check();
  const missing = (await tree.correctionsOf(report.id)).map(({ user, stored, tree: whole }) => [
    user.username,
    stored.totalNetwork,
    whole.totalNetwork,
  ]);
  expect(missing).toEqual([
    ['long1', 1_000, 1_002],
    ['long2', 1_000, 1_001],
  ]);
  await tree.repair(report);
  expect((await tree.check()).wrong.users).toBe(0);
}, 60_000);

const many = 25_000;

/** Adds many referrals of one blacklisted user, some of them with wrong counters. */
async function addMany(damaged: number) {
  const top = await join();
  await sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'Fraud' where id = ${top}`.execute(
    db.owner,
  );
  await sql`
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code, sponsor_id, created_at)
    select 'M' || n, 'many' || n, 'wallet' || n, 'sol' || n % 22000, 'MANY' || n, ${top}::uuid, now()
    from generate_series(1, ${many}::int) as n`.execute(db.owner);
  await tree.foldAll();
  await sql`insert into team (user_id, referral_count, volume_usd)
    select id, 1, 2 from platform_user where username like 'many%' order by id limit ${damaged}`.execute(db.owner);
  return top;
}

test('a report covers more referrals of one user, wallets and corrections than one statement reads', async () => {
  const damaged = 6_000;
  const top = await addMany(damaged);
  const report = await tree.check();
  expect(report.wrong).toEqual({
    users: damaged,
    referralCount: damaged,
    totalNetwork: 0,
    totalTeamVolumeSOL: 0,
    totalTeamVolumeUSD: damaged,
  });
  expect(report.found).toMatchObject({ 'blacklisted-sponsor': many, 'shared-wallet': 3_000 });
  const listed = await tree.findingsOf(report.id, 'blacklisted-sponsor');
  expect(listed.map(({ no }) => no)).toEqual(Array.from({ length: listedAtMost }, (_, index) => index + 1));
  expect(listed.every(({ users }) => users[1]?.id === top)).toBe(true);

  await tree.repair(report);
  const after = await tree.check();
  expect(after).toMatchObject({ wrong: { users: 0 }, repair: null });
  const left = await db.owner
    .selectFrom('referralCorrection')
    .select((e) => e.fn.countAll<bigint>().as('rows'))
    .where('reportId', '=', report.id)
    .executeTakeFirstOrThrow();
  expect(left.rows).toBe(BigInt(damaged));
}, 120_000);
