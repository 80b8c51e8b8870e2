import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { PermissionSet, Role } from 'contract/core/permissions.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { runsOf } from '#server/core/testing/runs.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { fillTreasury } from '#server/core/testing/stakes.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

/* What one administrator tries alone, over HTTP. The daily limit is 1,000 USD for everything together. */
const { db, server } = await testEnvironment();
const runs = runsOf(db);
await fillTreasury(db.owner, 'USD', 10n ** 15n);
const dollars = (amount: number) => BigInt(amount) * 1_000_000n;

let admins = 0;
async function clerk(role: Role, permissionSet?: PermissionSet) {
  admins += 1;
  const username = `clerk${admins}`;
  const { id } = await addAdmin(db.database, { username, role, ...(permissionSet && { permissionSet }) });
  return { id, username, token: await server.signIn(username) };
}
type Clerk = Awaited<ReturnType<typeof clerk>>;

const post = ({ token }: Clerk, path: string, body: object = {}) =>
  server.call('POST', path, { token, body, headers: { 'idempotency-key': randomUUID() } });
const get = async ({ token }: Clerk, path: string) => (await server.call('GET', path, { token })).json;

type Approval = { id: string; kind: string; subject: string; digest: string; state: string };
const waitingRequests = async (viewer: Clerk) =>
  (await get(viewer, '/api/approvals?state=waiting&limit=100'))['approvals'] as Approval[];
const waitingOf = async (viewer: Clerk, kind: string) =>
  (await waitingRequests(viewer)).find((approval) => approval.kind === kind);

async function approve(by: Clerk, approval: Approval | undefined) {
  const answer = await post(by, `/api/approvals/${approval?.id}/decide`, {
    decision: 'approve',
    digest: approval?.digest,
  });
  return { status: answer.status, code: answer.json['code'] };
}

async function paidTo(userId: string) {
  const { rows } = await sql<{ units: bigint }>`
    select coalesce(sum(case when credit = 'available' then units else -units end), 0)::bigint as units from transfer
    where user_id = ${userId} and asset = 'USD' and 'available' in (debit::text, credit::text)
      and kind::text in ('rank-bonus', 'adjustment', 'task')`.execute(db.owner);
  return rows[0]?.units ?? 0n;
}

/** Plans and starts a run if one is due, and pays it if it started. */
async function run(by: Clerk, kind: string) {
  const { json } = await post(by, '/api/runs', { kind });
  const planned = json['run'] as { id: string } | undefined;
  if (planned) await startAndPay(by, planned.id);
  return planned?.id ?? '';
}

async function startAndPay(by: Clerk, id: string) {
  const { planHash } = await runs.plan(id);
  await post(by, `/api/runs/${id}/start`, { planHash });
  await runs.pay(id);
}

test('an administrator cannot promote a user, set the rank bonus and pay it alone', async () => {
  const rogue = await clerk('Admin', 'Finance');
  const friend = await addUser(db.owner);
  for (const newRank of ['Silver', 'Gold', 'Platinum']) {
    await post(rogue, '/api/users/promote', { userId: friend.userId, newRank, reason: 'Deserved' });
    const { version } = await get(rogue, '/api/jobs/rank-bonus');
    const settings = { rank: newRank, bonusAmount: '10000.00' };
    await post(rogue, '/api/jobs/rank-bonus', { settings, version });
    await run(rogue, 'rank-bonus');
  }
  expect(await paidTo(friend.id)).toBe(0n);
});

test('reversals of single users count into the daily limit as the whole would', async () => {
  const [rogue, colleague] = [await clerk('Admin', 'Finance'), await clerk('Admin', 'Finance')];
  const users = [];
  for (let count = 0; count < 4; count += 1) users.push(await addUser(db.owner, { rank: 'Gold' }));
  await sql`insert into job_settings (job, version, settings, effective_from)
    select 'rank-bonus', max(version) + 1, '{"rank": "Gold", "bonusAmount": "400.00"}', now() from job_settings
    where job = 'rank-bonus'`.execute(db.owner);
  const id = await run(rogue, 'rank-bonus');
  expect(await approve(colleague, await waitingOf(colleague, 'run'))).toMatchObject({ status: 200 });
  await runs.pay(id);

  for (const { id: user } of users) {
    const { json } = await post(rogue, `/api/runs/${id}/reverse`, { reason: 'Mine now', user });
    const reversal = json['run'] as { id: string };
    await startAndPay(rogue, reversal.id);
    // A reversal that waits for approval would keep the next one from being planned.
    await post(rogue, `/api/runs/${reversal.id}/steer`, { step: 'cancel' });
  }
  const left = await Promise.all(users.map(({ id: user }) => paidTo(user)));
  expect(left.filter((units) => units === 0n)).toHaveLength(2);
});

test('withdrawals, adjustments and runs share one daily limit, of which 100 USD are for adjustments', async () => {
  const rogue = await clerk('Admin');
  const friend = await addUser(db.owner);
  const adjust = (amount: string) =>
    post(rogue, '/api/ledger/adjustments', { id: randomUUID(), user: friend.id, asset: 'USD', amount, reason: 'Gift' });
  expect((await adjust('60.00')).json['state']).toBe('posted');
  expect((await adjust('60.00')).json['state']).toBe('waiting');
  const withdraw = async (units: bigint) => {
    const id = await addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units });
    const { json } = await post(rogue, `/api/withdrawals/${id}/approve`, { reference: `tx ${id}` });
    return (json['withdrawal'] as { status: string }).status;
  };
  expect(await withdraw(dollars(900))).toBe('Completed');
  expect(await withdraw(dollars(41))).toBe('Pending');
  expect(await withdraw(dollars(40))).toBe('Completed');
  expect((await adjust('0.000001')).json['state']).toBe('waiting');
});

test('an account that its creator signs in with cannot approve the creator’s requests', async () => {
  const rogue = await clerk('SuperAdmin');
  const withdrawal = await addWithdrawal(db.owner, {
    userId: (await addUser(db.owner)).id,
    units: dollars(1_000_000),
  });
  const username = 'puppet';
  const password = 'temporary for now';
  await post(rogue, '/api/admin/signup', { username, password, confirmPassword: password, role: 'Admin' });
  const { json } = await server.call('POST', '/api/admin/login', { body: { username, password } });
  await server.call('POST', '/api/auth/password', {
    token: String(json['token']),
    body: { currentPassword: password, newPassword: testPassword },
  });
  const puppet = { id: '', username, token: await server.signIn(username) };
  await post(rogue, `/api/withdrawals/${withdrawal}/approve`);
  const request = await waitingOf(puppet, 'withdrawal');
  expect(await approve(puppet, request)).toEqual({ status: 409, code: 'AccountUnconfirmed' });

  // It moves nothing alone either: otherwise each further account would be a further limit.
  const small = await addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units: dollars(1) });
  const { json: own } = await post(puppet, `/api/withdrawals/${small}/approve`);
  expect(own['withdrawal']).toMatchObject({ status: 'Pending' });
  expect(await get(puppet, '/api/withdrawals/daily-limit')).toEqual({ limit: '0.00', usedToday: '0.00' });

  // The creator cannot approve what the account requests: both are the same person until someone else confirms it.
  const ofPuppet = (await waitingRequests(rogue)).find(({ subject }) => subject === small);
  expect(await approve(rogue, ofPuppet)).toEqual({ status: 409, code: 'RequesterUnconfirmed' });

  // Nor can a second account of the same maker confirm the first.
  expect(await approve(rogue, await waitingOf(rogue, 'account'))).toEqual({ status: 409, code: 'OwnRequest' });
  expect(await approve(puppet, await waitingOf(puppet, 'account'))).toEqual({ status: 409, code: 'OwnAccount' });

  const colleague = await clerk('Admin', 'Finance');
  expect(await approve(colleague, await waitingOf(colleague, 'account'))).toMatchObject({ status: 200 });
  expect(await approve(puppet, request)).toMatchObject({ status: 200 });
});

test('the request of a deleted administrator is not approved', async () => {
  const [root, other] = [await clerk('SuperAdmin'), await clerk('SuperAdmin')];
  const leaver = await clerk('Admin', 'Finance');
  const id = await addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units: dollars(5_000) });
  await post(leaver, `/api/withdrawals/${id}/approve`);
  const request = await waitingOf(root, 'withdrawal');
  await post(root, '/api/admin/delete', { username: leaver.username });
  await approve(other, await waitingOf(other, 'removal'));
  expect((await approve(root, request)).status).toBe(409);
  const { withdrawal } = await get(root, `/api/withdrawals/${id}`);
  expect(withdrawal).toMatchObject({ status: 'Pending', waitsUntil: null });
});

test('an administrator who loses the permission to request also loses the waiting requests', async () => {
  const root = await clerk('SuperAdmin');
  const leaver = await clerk('Admin', 'Finance');
  const id = await addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units: dollars(5_000) });
  await post(leaver, `/api/withdrawals/${id}/approve`);
  const request = await waitingOf(root, 'withdrawal');
  const { token } = root;
  const body = { version: 1, permissionSet: 'Support' };
  expect((await server.call('PATCH', `/api/admin/${leaver.id}`, { token, body })).status).toBe(200);
  await approve(await clerk('SuperAdmin'), await waitingOf(root, 'demotion'));
  expect((await approve(root, request)).status).toBe(409);
});

test('a narrower permission set that was requested before a grant is void after it', async () => {
  const [root, other] = [await clerk('SuperAdmin'), await clerk('SuperAdmin')];
  const approver = await clerk('Admin');
  const { token } = root;
  const change = (body: object) => server.call('PATCH', `/api/admin/${approver.id}`, { token, body });
  expect((await change({ version: 1, permissionSet: 'Support' })).status).toBe(200);
  expect((await change({ version: 1, role: 'SuperAdmin' })).status).toBe(200);
  const narrowing = await waitingOf(root, 'demotion');
  expect(await approve(other, await waitingOf(root, 'grant'))).toMatchObject({ status: 200 });
  expect((await approve(other, narrowing)).status).toBe(409);
});

test('grants, limits, demotions and deletions of approvers are decided by SuperAdmins', async () => {
  const [root, other] = [await clerk('SuperAdmin'), await clerk('SuperAdmin')];
  const finance = await clerk('Admin', 'Finance');
  const { token } = root;
  await server.call('PATCH', `/api/admin/${finance.id}`, { token, body: { version: 1, role: 'SuperAdmin' } });
  const colleague = await clerk('Admin', 'Finance');
  const limits = (await get(root, '/api/approvals/limits'))['limits'] as { kind: string; asset: string }[];
  const { kind, asset } = limits[0] ?? {};
  await post(root, '/api/approvals/limits', { kind, asset, limit: '100000000.00', version: 1 });
  for (const authority of ['grant', 'limit']) {
    expect(await approve(colleague, await waitingOf(colleague, authority))).toMatchObject({
      code: 'ApproverNotPermitted',
    });
  }

  await server.call('PATCH', `/api/admin/${other.id}`, { token, body: { version: 1, role: 'Admin' } });
  const readRole = async ({ id }: Clerk) => ((await get(root, `/api/admin/${id}`))['admin'] as { role: Role }).role;
  expect(await readRole(other)).toBe('SuperAdmin');
  expect(await approve(root, await waitingOf(root, 'demotion'))).toMatchObject({ code: 'OwnRequest' });
  await post(root, '/api/admin/delete', { username: colleague.username });
  expect(await readRole(colleague)).toBe('Admin');
  expect(await approve(other, await waitingOf(other, 'removal'))).toMatchObject({ status: 200 });
  expect((await server.call('GET', `/api/admin/${colleague.id}`, { token })).status).toBe(404);
});

test('an administrator with a temporary password is neither offered as approver nor accepted', async () => {
  const maker = await clerk('Admin', 'Finance');
  const { id: newcomerId } = await addAdmin(db.database, { username: 'newcomer', temporary: true });
  const id = await addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units: dollars(5_000) });
  await post(maker, `/api/withdrawals/${id}/approve`);
  const request = await waitingOf(maker, 'withdrawal');
  const { approvers } = await get(maker, `/api/approvals/${request?.id}`);
  expect(approvers).toContainEqual({ username: 'newcomer', refusal: 'PasswordTemporary', from: null });
  expect(approvers).toContainEqual({ username: maker.username, refusal: 'OwnRequest', from: null });
  const newcomer = { id: newcomerId, username: 'newcomer', token: await server.signIn('newcomer') };
  expect(await approve(newcomer, request)).toEqual({ status: 403, code: 'PasswordChangeRequired' });
});

test('every payment that an administrator decides alone leaves a decision with a digest', async () => {
  const maker = await clerk('Admin');
  const id = await addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units: dollars(5) });
  await post(maker, `/api/withdrawals/${id}/approve`);
  const decisions = await db.owner.selectFrom('approval').selectAll().where('subjectId', '=', id).execute();
  expect(decisions).toMatchObject([
    { kind: 'withdrawal', state: 'approved', rule: 'limit', units: dollars(5), requestedBy: maker.id },
  ]);
  expect(decisions[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
});

test('a run that waits for the limit of its starter does not hold the treasury meanwhile', async () => {
  const maker = await clerk('Admin', 'Finance');
  await addUser(db.owner, { rank: 'Platinum' });
  await sql`insert into job_settings (job, version, settings, effective_from)
    select 'rank-bonus', max(version) + 1, '{"rank": "Platinum", "bonusAmount": "1.00"}', now() from job_settings
    where job = 'rank-bonus'`.execute(db.owner);
  const { json } = await post(maker, '/api/runs', { kind: 'rank-bonus' });
  const { id } = json['run'] as { id: string };
  const { planHash } = await runs.plan(id);
  const { starting, isFree } = await db.owner.transaction().execute(async (tx) => {
    // An adjustment of the same administrator holds this lock and takes the treasury next.
    await sql`select lock_limit_of(${maker.id}::uuid)`.execute(tx);
    const started = post(maker, `/api/runs/${id}/start`, { planHash });
    await eventually(async () => (await waitingLocks()) > 0);
    const { rows } = await sql<{ free: boolean }>`
      select pg_try_advisory_xact_lock(hashtext('ledger.treasury USD')) as free`.execute(tx);
    return { starting: started, isFree: rows[0]?.free };
  });
  expect((await starting).status).toBe(200);
  expect(isFree).toBe(true);
});

async function waitingLocks() {
  const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(db.owner);
  return rows.length;
}
