import type { TreeReport } from 'contract/referrals.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { treeOf } from '#server/core/testing/tree.ts';

const environment = await testEnvironment();
const { db, server } = environment;
const tree = await treeOf(environment);
const { id: damaged } = await addUser(db.owner);
await sql`insert into team (user_id, referral_count) values (${damaged}, 0)`.execute(db.owner);

const damage = () =>
  sql`update team set referral_count = referral_count + 2 where user_id = ${damaged}`.execute(db.owner);
const counter = async () => {
  const team = db.owner.selectFrom('team').select('referralCount').where('userId', '=', damaged);
  return (await team.executeTakeFirstOrThrow()).referralCount;
};

/** Runs a statement with the triggers disabled, which only the owner can. */
const rewrite = (statement: ReturnType<typeof sql>) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await statement.execute(tx);
  });

async function found() {
  await damage();
  const report = await tree.check();
  expect(report.wrong.users).toBe(1);
  return report;
}

/** Resets the counter to its correct value and makes a new report. */
async function resetCounter() {
  await sql`update team set referral_count = 0 where user_id = ${damaged}`.execute(db.owner);
  return tree.check();
}

test('there is no report at first, and an auditor can read but not request reports and repairs', async () => {
  expect(await tree.read()).toEqual({ newest: null, finished: null });
  await addAdmin(db.database, { username: 'audrey', permissionSet: 'Auditor' });
  const token = await server.signIn('audrey');
  expect((await server.call('GET', '/api/referrals/reports', { token })).status).toBe(200);
  for (const path of ['reports', `reports/${damaged}/repair`]) {
    const { status } = await server.call('POST', `/api/referrals/${path}`, { token, body: { digest: 'x' } });
    expect(status).toBe(403);
  }
  for (const path of ['findings?kind=circle', 'corrections', 'corrections?after=nobody'])
    expect((await tree.call('GET', `referrals/reports/${damaged}/${path}`)).status).toBeGreaterThanOrEqual(400);
});

test('only one report runs at a time; it shows its requester and progress, and its changes are announced', async () => {
  const stream = await openStream(server.address, { authorization: `Bearer ${tree.ann.token}` });
  const { status, report } = await tree.ask();
  expect(status).toBe(200);
  expect(report).toMatchObject({
    state: 'waiting',
    requestedBy: 'ann',
    progress: 0,
    at: null,
    digest: null,
    repair: null,
  });
  expect(await tree.ask()).toMatchObject({ status: 409, code: 'CheckUnderWay' });
  expect(await tree.askRepair({ ...(report as TreeReport), digest: 'x' })).toMatchObject({ code: 'ReportUnfinished' });
  await tree.work(report?.id ?? '');
  await stream.heard({ feature: 'referrals', id: report?.id ?? '' });
  await stream.close();
  const { newest, finished } = await tree.read();
  expect(finished).toEqual(newest);
  expect(newest).toMatchObject({ state: 'done', progress: 100, users: 1, wrong: { users: 0 } });
  expect(Object.values(newest.found)).toEqual([0, 0, 0, 0, 0]);
  expect(await tree.askRepair(newest)).toMatchObject({ status: 409, code: 'NothingToRepair' });
});

test('a repair is requested, approved by another administrator, applied once and audited', async () => {
  const report = await found();
  expect(await tree.askRepair({ ...report, digest: 'another' })).toMatchObject({ status: 409, code: 'ReportOutdated' });
  expect(await tree.askRepair(report)).toMatchObject({
    status: 200,
    report: { repair: { state: 'requested', requestedBy: 'ann' } },
  });
  expect(await tree.askRepair(report)).toMatchObject({ status: 409, code: 'RepairRequested' });
  const request = await tree.requestFor(report.id);
  expect(request.facts).toEqual([
    { key: 'users', value: '1' },
    { key: 'referralCount', value: '1' },
    { key: 'totalNetwork', value: '0' },
    { key: 'totalTeamVolumeSOL', value: '0' },
    { key: 'totalTeamVolumeUSD', value: '0' },
    { key: 'reportAt', value: report.at },
    { key: 'corrections', value: report.digest },
  ]);
  expect(await tree.decide(request, {}, tree.ann)).toMatchObject({ status: 409, code: 'OwnRequest' });
  expect(await counter()).toBe(2n);
  await tree.repairNow(report.id);
  expect(await counter()).toBe(2n);

  expect(await tree.decide(request)).toMatchObject({ status: 200 });
  expect(await tree.ask()).toMatchObject({ status: 409, code: 'RepairUnderWay' });
  expect(await tree.askRepair(report)).toMatchObject({ status: 409, code: 'RepairStarted' });
  await tree.repairNow(report.id);
  await tree.repairNow(report.id);
  expect(await counter()).toBe(0n);
  expect((await tree.read()).newest.repair).toMatchObject({ state: 'repaired', requestedBy: 'ann', approvedBy: 'bea' });
  expect(await tree.askRepair(report)).toMatchObject({ status: 409, code: 'RepairStarted' });

  const entries = db.owner.selectFrom('auditEntry').select(['action', 'details']).where('subjectId', '=', report.id);
  const written = await entries.orderBy('seq').execute();
  expect(written.map(({ action }) => action)).toEqual([
    'referrals.check',
    'referrals.ask-repair',
    'approvals.approve',
    'referrals.repair',
  ]);
  expect(JSON.parse(written.at(-1)?.details ?? '')).toMatchObject({
    users: 1,
    digest: report.digest,
    requestedBy: 'ann',
    approvedBy: 'bea',
  });
});

test('a denied repair can be requested again', async () => {
  const report = await found();
  await tree.askRepair(report);
  const denied = await tree.decide(await tree.requestFor(report.id), { decision: 'deny', reason: 'Look again.' });
  expect(denied.status).toBe(200);
  expect((await tree.read()).newest.repair).toBeNull();
  expect(await tree.askRepair(report)).toMatchObject({ status: 200 });
  await resetCounter();
});

test('a newer report voids the request, and the older report can no longer be repaired', async () => {
  const report = await found();
  await tree.askRepair(report);
  const request = await tree.requestFor(report.id);
  const newer = await tree.check();
  expect(await tree.requestFor(report.id)).toMatchObject({ state: 'void' });
  expect(await tree.decide(request)).toMatchObject({ status: 409, code: 'ApprovalDecided' });
  expect(await tree.askRepair(report)).toMatchObject({ status: 409, code: 'ReportOutdated' });
  expect(await tree.correctionsOf(report.id)).toEqual([]);
  expect(await tree.correctionsOf(newer.id)).toHaveLength(1);
  await resetCounter();
});

test('the repair of a report that is older than a day can be neither requested nor approved', async () => {
  const report = await found();
  await tree.askRepair(report);
  const request = await tree.requestFor(report.id);
  await rewrite(sql`update referral_report set at = at - interval '25 hours' where id = ${report.id}`);
  expect(await tree.decide(request)).toMatchObject({ status: 409, code: 'ApprovalVoid' });
  expect(await tree.askRepair(report)).toMatchObject({ status: 409, code: 'ReportTooOld' });
  expect(await counter()).toBe(2n);
  await resetCounter();
});

test('a report cannot be changed, and corrections that were tampered with are not applied', async () => {
  const report = await found();
  const changes = [
    sql`update referral_report set wrong_users = 0 where id = ${report.id}`,
    sql`update referral_correction set tree_referrals = 9 where report_id = ${report.id}`,
    sql`delete from referral_report where id = ${report.id}`,
  ];
  for (const change of changes) await expect(change.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  await tree.askRepair(report);
  await tree.decide(await tree.requestFor(report.id));
  const tamper = (most: number) =>
    rewrite(sql`update referral_correction set tree_referrals = ${most} where report_id = ${report.id}`);
  await tamper(9);
  await expect(tree.repairNow(report.id)).rejects.toThrow('not the corrections that were approved');
  expect(await counter()).toBe(2n);
  await tamper(0);
  await tree.repairNow(report.id);
  expect(await counter()).toBe(0n);
});
