import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { approvalJobs } from './jobs.ts';

const { db, server } = await testEnvironment();
const { totalsOf, expectSound } = ledgerOf(db);
const second = await testServer(db.url);
afterAll(() => second[Symbol.asyncDispose]());
const large = 5_000_000_000n;

const clerk = async (username: string, permissionSet?: 'Finance' | 'Support' | 'Auditor') => {
  const { id } = await addAdmin(db.database, { username, ...(permissionSet && { permissionSet }) });
  return { id, username, token: await server.signIn(username) };
};
const ann = await clerk('ann', 'Finance');
const bea = await clerk('bea');
type Clerk = typeof ann;

type Approval = {
  id: string;
  digest: string;
  state: string;
  subject: string;
  facts: { key: string; value: string }[];
};

/** Adds a withdrawal above the limit, which was already sent unless it says otherwise, and requests its second approval. */
async function requested(by: Clerk = ann, { isSent = true } = {}) {
  const user = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId: user.id, units: large });
  const body = isSent ? { reference: `tx ${id}` } : {};
  const { status } = await server.call('POST', `/api/withdrawals/${id}/approve`, { token: by.token, body });
  expect(status).toBe(200);
  const approval = (await list()).find(({ subject }) => subject === id);
  if (!approval) throw new Error('No request was made.');
  return { id, user, approval };
}

async function list(query = '', { token } = ann) {
  const { json } = await server.call('GET', `/api/approvals?limit=100${query}`, { token });
  return json['approvals'] as Approval[];
}

async function decide(
  { id, digest }: Approval,
  by: Clerk,
  { on = server, ...body }: { on?: typeof server; [more: string]: unknown } = {},
) {
  const sent = { decision: 'approve', digest, ...body };
  const { status, json } = await on.call('POST', `/api/approvals/${id}/decide`, { token: by.token, body: sent });
  return { status, code: json['code'], approval: json['approval'] as Approval | undefined };
}

test('a request contains its facts, its requester and its expiry', async () => {
  const { approval, user, id } = await requested();
  expect(approval).toEqual({
    id: approval.id,
    kind: 'withdrawal',
    subject: id,
    userUuid: user.id,
    facts: [
      { key: 'user', value: user.username },
      { key: 'amount', value: '5000000000 USD' },
      { key: 'wallet', value: 'So1Wallet' },
      { key: 'requestedAt', value: expect.stringMatching(/Z$/) },
      { key: 'signature', value: `tx ${id}` },
    ],
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    requestedBy: { id: ann.id, username: 'ann' },
    requestedAt: expect.stringMatching(/Z$/),
    expiresAt: expect.stringMatching(/Z$/),
    state: 'waiting',
    decidedBy: null,
    decidedAt: null,
    reason: null,
    signals: ['new wallet', 'first withdrawal', 'more than half of the balance'],
    refusal: 'OwnRequest',
  });
  const { requestedAt, expiresAt } = approval as unknown as { requestedAt: string; expiresAt: string };
  expect(Date.parse(expiresAt) - Date.parse(requestedAt)).toBe(2 * 3_600_000);
});

test('a second approver approves the withdrawal, and it names both administrators', async () => {
  const { approval, user, id } = await requested();
  const stream = await openStream(second.address, { authorization: `Bearer ${await second.signIn('bea')}` });
  expect(await decide(approval, bea)).toMatchObject({
    status: 200,
    approval: { state: 'approved', decidedBy: { username: 'bea' } },
  });
  const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token: ann.token });
  expect(json['withdrawal']).toMatchObject({
    status: 'Completed',
    preparedBy: 'ann',
    decidedBy: 'bea',
    waitsUntil: null,
  });
  expect(await totalsOf(user.id)).toMatchObject({ withdrawingUsd: 0n, withdrawnUsd: large });
  const acts = await db.owner
    .selectFrom('auditEntry')
    .select(['action', 'actorId'])
    .where('subjectId', '=', id)
    .orderBy('seq')
    .execute();
  expect(acts).toEqual([
    { action: 'withdrawals.ask', actorId: ann.id },
    { action: 'approvals.approve', actorId: bea.id },
  ]);
  await stream.heard({ feature: 'approvals', id: approval.id });
  await stream.heard({ feature: 'withdrawals', id });
  await stream.close();
  await expectSound();
});

test('administrators cannot approve their own requests', async () => {
  const { approval, user } = await requested();
  expect(await decide(approval, ann)).toMatchObject({ status: 409, code: 'OwnRequest' });
  expect((await totalsOf(user.id)).withdrawnUsd).toBe(0n);
  const selfApproval = (rule: string) =>
    sql`update approval set state = 'approved', rule = ${rule}::approval_rule, decided_by = requested_by,
      decided_at = now() where id = ${approval.id}::uuid`.execute(db.owner);
  await expect(selfApproval('second')).rejects.toThrow('OwnRequest');
  await expect(selfApproval('limit')).rejects.toThrow('AboveLimit');
});

test('fifty concurrent approvals, half of them by the requester: one by the other administrator succeeds', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { approval, user } = await requested();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, turn) =>
        decide(approval, turn % 2 === 0 ? ann : bea, { on: turn % 3 === 0 ? second : server }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'OwnRequest' || code === 'ApprovalDecided')).toHaveLength(49);
    expect((await totalsOf(user.id)).withdrawnUsd).toBe(large);
    const [row] = (await list()).filter(({ id }) => id === approval.id);
    expect(row).toMatchObject({ requestedBy: { username: 'ann' }, decidedBy: { username: 'bea' } });
  }
  await expectSound();
});

test('a concurrent approval and rejection: exactly one succeeds, and they do not deadlock', async () => {
  for (let round = 0; round < 10; round += 1) {
    const { approval, user, id } = await requested();
    const [approved, rejected] = await Promise.all([
      decide(approval, bea),
      server.call('POST', `/api/withdrawals/${id}/reject`, { token: ann.token, body: { reason: 'No.' } }),
    ]);
    expect([approved.status, rejected.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
    const { availableUsd, withdrawnUsd } = await totalsOf(user.id);
    expect([availableUsd, withdrawnUsd]).toEqual(approved.status === 200 ? [0n, large] : [large, 0n]);
  }
});

test('a request whose withdrawal was rejected is void', async () => {
  const { approval, id } = await requested(ann, { isSent: false });
  await server.call('POST', `/api/withdrawals/${id}/reject`, { token: bea.token, body: { reason: 'No.' } });
  expect((await list('&state=void')).map((one) => one.id)).toContain(approval.id);
  expect(await decide(approval, bea)).toMatchObject({ status: 409, code: 'ApprovalDecided' });
});

test('a request becomes void if its facts have changed', async () => {
  const { approval, id, user } = await requested();
  const changed = sql`update withdrawal set wallet = 'AnotherWallet' where id = ${id}::uuid`;
  await expect(changed.execute(db.owner)).rejects.toThrow('cannot be changed');
  await sql`update platform_user set username = 'renamed' where id = ${user.id}::uuid`.execute(db.owner);
  expect(await decide(approval, bea)).toMatchObject({ status: 409, code: 'ApprovalVoid' });
  expect((await list('&state=void')).map((one) => one.id)).toContain(approval.id);
  const body = { reference: `tx ${id}` };
  const repeated = await server.call('POST', `/api/withdrawals/${id}/approve`, { token: ann.token, body });
  expect(repeated.json['withdrawal']).toMatchObject({ preparedBy: 'ann' });
  expect((await totalsOf(user.id)).withdrawnUsd).toBe(0n);
});

test.each([
  [
    'WithdrawalsDisabled',
    'update withdrawal_switch set enabled = false',
    'update withdrawal_switch set enabled = true',
  ],
  [
    'UserBlacklisted',
    `update platform_user set blacklisted_at = now(), blacklist_reason = 'x'`,
    'update platform_user set blacklisted_at = null, blacklist_reason = null',
  ],
  ['UserDeleted', 'update platform_user set retired_at = now()', 'update platform_user set retired_at = null'],
])('a second approval is refused for the same reasons as a withdrawal: %s', async (code, start, end) => {
  const { approval, user } = await requested();
  await sql.raw(start).execute(db.owner);
  try {
    expect(await decide(approval, bea)).toMatchObject({ status: 409, code });
  } finally {
    await sql.raw(end).execute(db.owner);
  }
  expect((await totalsOf(user.id)).withdrawnUsd).toBe(0n);
  expect((await decide(approval, bea)).status).toBe(200);
});

test('approvals as a second approver do not count toward the daily limit', async () => {
  const cleo = await clerk('cleo');
  const { approval } = await requested();
  expect((await decide(approval, cleo)).status).toBe(200);
  const small = await addWithdrawal(db.owner, { userId: (await addUser(db.owner)).id, units: 1_000_000_000n });
  const body = { reference: `tx ${small}` };
  const { json } = await server.call('POST', `/api/withdrawals/${small}/approve`, { token: cleo.token, body });
  expect(json['withdrawal']).toMatchObject({ status: 'Completed', decidedBy: 'cleo', preparedBy: null });
});

test('a decision with another digest is refused', async () => {
  const { approval } = await requested();
  for (const decision of ['approve', 'deny']) {
    expect(await decide({ ...approval, digest: 'f'.repeat(64) }, bea, { decision, reason: 'x' })).toMatchObject({
      code: 'ApprovalVoid',
    });
  }
});

test('the reference of an already sent transaction is part of the request and is kept with the withdrawal', async () => {
  const user = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId: user.id, units: large });
  await server.call('POST', `/api/withdrawals/${id}/approve`, { token: ann.token, body: { reference: '5sig' } });
  const approval = (await list()).find(({ subject }) => subject === id) as Approval;
  expect(approval.facts).toContainEqual({ key: 'signature', value: '5sig' });
  expect((await decide(approval, bea)).status).toBe(200);
  const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token: ann.token });
  expect(json['withdrawal']).toMatchObject({ status: 'Completed', reference: '5sig' });
});

test('a request is read by its id, with those who have the permission to approve it', async () => {
  await clerk('sue', 'Support');
  const { approval } = await requested();
  const read = (id: string) => server.call('GET', `/api/approvals/${id}`, { token: ann.token });
  const { approvers, ...rest } = (await read(approval.id)).json;
  expect(rest).toEqual({ approval, aloneAfterSeconds: null });
  expect(approvers).toContainEqual({ username: 'bea', refusal: null, from: null });
  expect(approvers).toContainEqual({ username: 'ann', refusal: 'OwnRequest', from: null });
  const names = (approvers as { username: string }[]).map(({ username }) => username);
  expect(names).not.toContain('sue');
  expect((await decide(approval, bea)).status).toBe(200);
  expect((await read(approval.id)).json['approvers']).toEqual([]);
  expect((await read('019c0000-0000-7000-8000-000000000000')).status).toBe(404);
});

test('a denial needs a reason and pays nothing, and the approval can be requested again', async () => {
  const { approval, id, user } = await requested();
  expect(await decide(approval, bea, { decision: 'deny' })).toMatchObject({ status: 422, code: 'ReasonRequired' });
  expect(await decide(approval, bea, { decision: 'deny', reason: 'Call them first.' })).toMatchObject({
    status: 200,
    approval: { state: 'denied', reason: 'Call them first.' },
  });
  expect(await decide(approval, bea)).toMatchObject({ code: 'ApprovalDecided' });
  expect((await totalsOf(user.id)).withdrawingUsd).toBe(large);
  const repeated = await server.call('POST', `/api/withdrawals/${id}/approve`, { token: bea.token, body: {} });
  expect(repeated.json['withdrawal']).toMatchObject({ preparedBy: 'bea' });
});

test('a request expires after two hours: it cannot be decided, and can be made again', async () => {
  const { approval, id } = await requested();
  await db.ownerPool.query(`
    begin; set local session_replication_role = replica;
    update approval set requested_at = requested_at - interval '3 hours', expires_at = expires_at - interval '3 hours'
    where id = '${approval.id}'; commit`);
  expect((await list()).find((one) => one.id === approval.id)).toMatchObject({ state: 'expired' });
  expect(await decide(approval, bea)).toMatchObject({ status: 409, code: 'ApprovalExpired' });
  expect(await decide(approval, bea, { decision: 'deny', reason: 'Late.' })).toMatchObject({ code: 'ApprovalExpired' });
  const body = { reference: `tx ${id}` };
  const repeated = await server.call('POST', `/api/withdrawals/${id}/approve`, { token: ann.token, body });
  expect(repeated.json['withdrawal']).toMatchObject({ waitsUntil: expect.stringMatching(/Z$/) });
  for (const { run } of approvalJobs) await run(db.worker);
  expect((await list('&state=expired')).map((one) => one.id)).toContain(approval.id);
});

test.each([
  ['Support', 403],
  ['Auditor', 403],
  ['Finance', 200],
] as const)('a decision by an Admin with the permission set %s returns %i', async (permissionSet, expected) => {
  const who = await clerk(`decides.${permissionSet.toLowerCase()}`, permissionSet);
  const { approval } = await requested();
  expect((await decide(approval, who)).status).toBe(expected);
});

test('a request and its decision cannot be changed or deleted', async () => {
  const { approval } = await requested();
  await decide(approval, bea);
  const of = `where id = '${approval.id}'`;
  await expect(sql.raw(`update approval set state = 'waiting' ${of}`).execute(db.owner)).rejects.toThrow(
    'ApprovalDecided',
  );
  const waiting = (await requested()).approval;
  const changed = sql.raw(`update approval set digest = 'other' where id = '${waiting.id}'`);
  await expect(changed.execute(db.database)).rejects.toThrow('cannot be changed');
  await expect(sql.raw(`delete from approval ${of}`).execute(db.owner)).rejects.toThrow('append-only');
});
