import type { Reason } from 'contract/runs-reasons.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { addCrowd } from '#server/core/testing/crowd.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { treasuryOf } from '#server/core/ledger/lines.ts';
import { ledgerOf, verifyBooks } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { runsOf, setRunLimit } from '#server/core/testing/runs.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { takeAway } from '#server/core/testing/transfers.ts';
import { digestOfLines } from './store/chunk-queries.ts';

const { db, server } = await testEnvironment();
const ledger = ledgerOf(db);
const runs = runsOf(db);
const inSmallChunks = runsOf(db, { linesInChunk: 500 });
await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'ben' });
const ann = await server.signIn('ann');
const ben = await server.signIn('ben');
const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
// Two chunks for the worker, and eleven in tests with small chunks.
const users = 5_400;
await addCrowd(db.owner, { users, placedOn: daysAgo(10) });

type Run = { id: string; state: string; planHash: string; period: string; why: Reason | null; pays: string };
type Answer = { status: number; json: Record<string, unknown> };
const runIn = ({ json }: Answer) => json['run'] as Run;
const plan = (kind = 'stake-payout', token = ann) => server.call('POST', '/api/runs', { token, body: { kind } });
const read = async (id: string) => runIn(await server.call('GET', `/api/runs/${id}`, { token: ann }));
const start = ({ id, planHash }: Run, token = ann) =>
  server.call('POST', `/api/runs/${id}/start`, { token, body: { planHash } });
const steer = (id: string, step: string) =>
  server.call('POST', `/api/runs/${id}/steer`, { token: ann, body: { step } });
const inState = (id: string, state: string) =>
  eventually(async () => {
    const run = await read(id);
    return run.state === state && run;
  }, 30_000);

const paidChunks = async (id: string) =>
  (await sql`select from run_chunk where run_id = ${id} and paid_at is not null`.execute(db.owner)).rows.length;

function startWorker() {
  return startProgram({ program: 'worker.ts', environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
}

test('a start is refused if the treasury does not cover the plan, and the reason has both amounts', async () => {
  startWorker();
  const { id } = runIn(await plan());
  const planned = await inState(id, 'planned');
  expect(runIn(await start(planned))).toMatchObject({
    state: 'refused',
    why: {
      code: 'treasury-too-low',
      params: { asset: 'USD', treasuryUnits: '0', neededUnits: expect.stringMatching(/^[45]\d{8}$/) },
    },
  });
  expect((await start(planned)).json).toMatchObject({ code: 'RunOver' });
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
});

test('a worker plans a run, two workers pay it to the unit while one is killed, and every payment can be explained', async () => {
  startWorker();
  const { id, period } = runIn(await plan());
  expect(period).toBe(daysAgo(1));
  const planned = await inState(id, 'planned');
  expect(planned).toMatchObject({ lines: users, skipped: 0, budget: '540.00' });
  const second = startWorker();
  await eventually(() => second.said.stdout.includes('"working"'), 20_000);
  expect(runIn(await start(planned)).state).toBe('running');
  await second.kill();
  expect(await inState(id, 'completed')).toMatchObject({ state: 'completed', approvedBy: null, startedBy: 'ann' });
  const { json } = await server.call('GET', `/api/runs/${id}`, { token: ann });
  expect(json['progress']).toMatchObject({ chunks: 2, paidChunks: 2, paidLines: users });
  await ledger.expectSound();
  expect((await plan()).json).toMatchObject({ code: 'NothingDue' });

  const { json: listed } = await server.call('GET', '/api/ledger/transfers?kind=stake-base&limit=1', { token: ann });
  const [transfer] = listed['transfers'] as { id: string; amount: string; user: { id: string } }[];
  const { json: explained } = await server.call('GET', `/api/runs/why/${transfer?.id}`, { token: ann });
  expect(explained['why']).toMatchObject({
    run: { id },
    line: { user: transfer?.user, input: '100.00', rate: 1_000, base: transfer?.amount, paid: true, skip: null },
    settings: { baseReward: 50, bonusReward: 20, loyaltyReward: 30 },
  });
  const { json: older } = await server.call('GET', '/api/ledger/transfers?kind=deposit&limit=1', { token: ann });
  const [deposited] = older['transfers'] as { id: string }[];
  const { json: unexplained } = await server.call('GET', `/api/runs/why/${deposited?.id}`, { token: ann });
  expect(unexplained).toEqual({ why: null, archive: null });
  expect((await server.call('GET', '/api/runs/why/20260101-1', { token: ann })).status).toBe(404);
}, 90_000);

test('above the limit nothing is paid until another administrator approves exactly that plan', async () => {
  startWorker();
  await setRunLimit(db.owner, 1_000_000n);
  const done = (await server.call('GET', '/api/runs?state=completed', { token: ann })).json['runs'] as Run[];
  const reversed = await server.call('POST', `/api/runs/${done[0]?.id}/reverse`, {
    token: ann,
    body: { reason: 'The rate was wrong' },
  });
  const { id } = runIn(reversed);
  const planned = await inState(id, 'planned');
  expect(runIn(await start(planned)).state).toBe('waiting');
  expect((await start(planned)).json).toMatchObject({ code: 'RunChanged' });
  type Request = { id: string; digest: string; subject: string };
  const { approvals } = (await server.call('GET', '/api/approvals?state=waiting', { token: ben })).json as {
    approvals: Request[];
  };
  const request = approvals.find(({ subject }) => subject === id);
  const decide = (token: string) =>
    server.call('POST', `/api/approvals/${request?.id}/decide`, {
      token,
      body: { decision: 'approve', digest: request?.digest },
    });
  expect((await decide(ann)).json).toMatchObject({ code: 'OwnRequest' });
  expect((await decide(ben)).status).toBe(200);
  expect(await inState(id, 'completed')).toMatchObject({ startedBy: 'ann', approvedBy: 'ben' });
  const { rows } = await sql`select from user_total where available_usd <> 0 or staked_earned_usd <> 0`.execute(
    db.owner,
  );
  expect(rows).toHaveLength(0);
  await ledger.expectSound();
  await setRunLimit(db.owner, 10n ** 12n);
  const again = await server.call('POST', `/api/runs/${done[0]?.id}/reverse`, {
    token: ann,
    body: { reason: 'Twice' },
  });
  expect(again.json).toMatchObject({ code: 'AlreadyReversed' });
  const { json: detail } = await server.call('GET', `/api/runs/${done[0]?.id}`, { token: ann });
  expect(detail).toMatchObject({ reversedBy: id });
}, 90_000);

test('a run that is refused when it is approved names its maker and its approver', async () => {
  await setRunLimit(db.owner, 0n);
  const { id } = await runs.plan(runIn(await plan()).id);
  expect(runIn(await start(await read(id))).state).toBe('waiting');
  const spare = await treasuryOf(db.database, 'USD');
  await db.owner.transaction().execute((tx) => takeAway(tx, { userId: null, units: spare }));
  const detail = async () => (await server.call('GET', `/api/runs/${id}`, { token: ann })).json;
  await decideOn(server, String((await detail())['approval']), { token: ben });
  const refused = { run: { state: 'refused' }, request: { by: 'ann', approvedBy: 'ben' } };
  expect(await detail()).toMatchObject(refused);
  await fillTreasury(db.owner, 'USD', 10n ** 15n);
  await setRunLimit(db.owner, 10n ** 12n);
});

test('a paused run pays nothing until it is resumed, and a cancelled run leaves the rest to the next plan', async () => {
  const { id } = runIn(await plan());
  const planned = await inSmallChunks.plan(id);
  expect(planned).toMatchObject({ part: 2, lines: BigInt(users) });
  await start({ ...(await read(id)) });
  expect(runIn(await steer(id, 'pause'))).toMatchObject({
    state: 'paused',
    why: { code: 'paused', params: { by: 'ann' } },
  });
  expect(await runs.pay(id)).toMatchObject({ state: 'paused' });
  await ledger.expectSound();
  expect(runIn(await steer(id, 'resume')).state).toBe('running');
  await runs.payUntilStopped(async () => (await paidChunks(id)) > 0);
  expect(runIn(await steer(id, 'cancel'))).toMatchObject({
    state: 'cancelled',
    why: { code: 'cancelled', params: { by: 'ann' } },
  });
  expect(await runs.pay(id)).toMatchObject({ state: 'cancelled' });

  const { rows: paid } = await sql<{ lines: bigint }>`
    select sum(lines)::bigint as lines from run_chunk where run_id = ${id} and paid_at is not null`.execute(db.owner);
  const listed = async (run: string) => {
    const { json } = await server.call('GET', '/api/runs?kind=stake-payout', { token: ann });
    return (json['runs'] as Run[]).find((one) => one.id === run);
  };
  const { json: detail } = await server.call('GET', `/api/runs/${id}`, { token: ann });
  const { paidLines, paid: amount } = detail['progress'] as { paidLines: number; paid: string };
  expect(BigInt(paidLines)).toBe(paid[0]?.lines);
  expect(await listed(id)).toMatchObject({ state: 'cancelled', paidLines, paid: amount });
  expect(Number(amount)).toBeLessThan(Number((await read(id)).pays));
  const rest = await runs.plan(runIn(await plan()).id);
  expect(await listed(rest.id)).toMatchObject({ state: 'planned', paidLines: 0, paid: '0.00' });
  expect(rest).toMatchObject({ part: 3, lines: BigInt(users), skipped: paid[0]?.lines, period: daysAgo(1) });
  expect(rest.skipped).toBeLessThan(BigInt(users));
  await runs.start(rest.id);
  expect(await runs.pay(rest.id)).toMatchObject({ state: 'completed' });
  const { pays } = await read(rest.id);
  expect(await listed(rest.id)).toMatchObject({ paidLines: Number(rest.lines - rest.skipped), paid: pays });
  await ledger.expectSound();
  const { rows } = await sql<{ users: bigint }>`
    select count(*) as users from user_total where staked_earned_usd > 0`.execute(db.owner);
  expect(rows).toEqual([{ users: BigInt(users) }]);
}, 90_000);

test('a user who was blacklisted since the plan is not paid, before the start and after it, and the others are', async () => {
  const [ineligible, later, other] = [
    await addUser(db.owner, { rank: 'Gold', username: 'quinn' }),
    await addUser(db.owner, { rank: 'Gold' }),
    await addUser(db.owner, { rank: 'Gold' }),
  ];
  await runs.save('rank-bonus', { rank: 'Gold', bonusAmount: '1.00' });
  const { id } = await runs.plan(runIn(await plan('rank-bonus')).id);
  const blacklist = (user: string) =>
    server.call('POST', `/api/users/${user}/blacklist`, { token: ann, body: { blacklisted: true, reason: 'Fraud' } });
  await blacklist(ineligible.id);
  expect(runIn(await start(await read(id)))).toMatchObject({ state: 'running' });
  await blacklist(later.id);
  expect(await runs.pay(id)).toMatchObject({ state: 'completed' });
  const bonuses = await Promise.all([ineligible, later, other].map((user) => ledger.totalsOf(user.id)));
  expect(bonuses.map(({ weeklyRankBonusUsd }) => weeklyRankBonusUsd)).toEqual([0n, 0n, 1_000_000n]);
  await ledger.expectSound();
  const reversal = await runs.reverse(id);
  await runs.start(reversal.id);
  await runs.pay(reversal.id);
});

test('lines changed after planning are never paid: the run is refused, and verification reports it', async () => {
  const { id, period } = await runs.plan(runIn(await plan('rank-bonus')).id);
  const tamper = async (units: number) => {
    await sql`alter table run_line disable trigger user`.execute(db.owner);
    await sql`update run_line set base = base + ${units} where run_id = ${id}
      and user_id = (select user_id from run_line where run_id = ${id} and skip is null order by 1 limit 1)`.execute(
      db.owner,
    );
    await sql`alter table run_line enable trigger user`.execute(db.owner);
  };
  await tamper(1);
  await runs.start(id);
  expect(await runs.pay(id)).toMatchObject({ state: 'refused', why: { code: 'plan-changed', params: {} } });
  expect(await paidChunks(id)).toBe(0);
  expect(await verifyBooks(db.database)).toEqual({
    sound: false,
    faults: [`a run’s sums are not those of its lines: rank-bonus ${period}`],
  });
  await tamper(-1);
  await ledger.expectSound();
});

test('a plan with a line and its chunk both changed is refused before anything is paid', async () => {
  const { id } = await runs.plan(runIn(await plan('rank-bonus')).id);
  const forge = (units: number) =>
    db.owner.transaction().execute(async (tx) => {
      await sql`set local session_replication_role = replica`.execute(tx);
      await sql`update run_line set base = base + ${units} where run_id = ${id}
        and user_id = (select user_id from run_line where run_id = ${id} and skip is null order by 1 limit 1)`.execute(
        tx,
      );
      await sql`update run_chunk set base = base + ${units}, budget = budget + ${units},
        digest = (select ${digestOfLines} from run_line where run_id = ${id}) where run_id = ${id}`.execute(tx);
    });
  await forge(1);
  const why = { code: 'plan-changed', params: {} };
  expect(runIn(await start(await read(id)))).toMatchObject({ state: 'refused', why });
  expect(await runs.pay(id)).toMatchObject({ state: 'refused', startedAt: null });
  expect(await paidChunks(id)).toBe(0);
  await forge(-1);
  await ledger.expectSound();
});

test('a plan cannot be changed, not even by the owner of its tables', async () => {
  const { id } = await runs.plan(runIn(await plan('rank-bonus')).id);
  for (const change of [
    sql`update run set plan_hash = 'x' where id = ${id}`,
    sql`update run set pays = 0, keeps = budget where id = ${id}`,
    sql`update run_line set base = 0 where run_id = ${id}`,
    sql`delete from run_line where run_id = ${id}`,
    sql`update run_chunk set base = 0 where run_id = ${id}`,
    sql`delete from run_chunk where run_id = ${id}`,
    sql`truncate run_line`,
    sql`delete from run where id = ${id}`,
  ]) {
    await expect(change.execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  }
  expect(runIn(await steer(id, 'cancel')).state).toBe('cancelled');
});

test('fifty concurrent requests result in one plan and one start, and concurrent workers pay it once', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => plan('rank-bonus')));
  const made = answers.filter(({ status }) => status === 200);
  expect(made.length).toBeGreaterThan(0);
  const live = (await server.call('GET', '/api/runs?kind=rank-bonus', { token: ann })).json['runs'] as Run[];
  const planning = live.filter(({ state }) => state === 'planning');
  expect(planning).toHaveLength(1);
  const planned = await runs.plan(planning[0]?.id ?? '');
  const seen = await read(planned.id);
  expect((await start({ ...seen, planHash: 'of another plan' })).json).toMatchObject({ code: 'RunChanged' });
  const starts = await Promise.all(Array.from({ length: 50 }, (_, turn) => start(seen, turn % 2 ? ann : ben)));
  expect(starts.filter(({ status }) => status === 200)).toHaveLength(1);
  await Promise.all(Array.from({ length: 8 }, () => runs.pay(planned.id)));
  expect(await runs.read(planned.id)).toMatchObject({ state: 'completed' });
  // No worker tried to pay a chunk that another one was paying.
  const { json } = await server.call('GET', `/api/runs/${planned.id}`, { token: ann });
  expect(json['errors']).toEqual([]);
  await ledger.expectSound();
}, 90_000);
