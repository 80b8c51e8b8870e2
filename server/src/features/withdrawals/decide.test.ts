import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { sealRecords } from '#server/core/audit/record-seals.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';

const { db, server } = await testEnvironment();
const { totalsOf, expectSound } = ledgerOf(db);
const dollars = (amount: number) => BigInt(amount) * 1_000_000n;

let admins = 0;

/** Each test adds its own administrators, because the daily limit is counted per administrator. */
async function addClerk(permissionSet?: 'Finance' | 'Support' | 'Auditor') {
  admins += 1;
  const { id, username } = await addAdmin(db.database, {
    username: `clerk.${admins}`,
    ...(permissionSet && { permissionSet }),
  });
  return { id, username, token: await server.signIn(username) };
}
type Clerk = Awaited<ReturnType<typeof addClerk>>;

async function requested(amount: number) {
  const user = await addUser(db.owner);
  return { user: user.id, id: await addWithdrawal(db.owner, { userId: user.id, units: dollars(amount) }) };
}

/** Approves a withdrawal that was already sent, so that it is paid at once. */
const approve = ({ token }: Clerk, id: string, body: object = { reference: `tx ${id}` }) =>
  server.call('POST', `/api/withdrawals/${id}/approve`, { token, body });
const reject = ({ token }: Clerk, id: string, reason = 'The wallet is not theirs.') =>
  server.call('POST', `/api/withdrawals/${id}/reject`, { token, body: { reason } });
const decideMany = ({ token }: Clerk, body: object) => server.call('POST', '/api/withdrawals/decide', { token, body });

const actsOn = async (id: string) => {
  const acts = db.owner.selectFrom('auditEntry').select(['action', 'actorId']).where('subjectId', '=', id);
  return acts.orderBy('seq').execute();
};

test('Approve with a reference pays the held amount once and records the administrator', async () => {
  const ann = await addClerk('Finance');
  const { id, user } = await requested(250);
  const stream = await openStream(server.address, { authorization: `Bearer ${ann.token}` });
  const { status, json } = await approve(ann, id, { reference: '5sig' });
  expect(status, JSON.stringify(json)).toBe(200);
  const by = { decidedBy: ann.username, sentBy: ann.username, settledBy: ann.username, preparedBy: null };
  const paid = { status: 'Completed', state: 'confirmed', reference: '5sig', waitsUntil: null, ...by };
  expect(json['withdrawal']).toMatchObject(paid);
  expect(await totalsOf(user)).toMatchObject({ availableUsd: 0n, withdrawingUsd: 0n, withdrawnUsd: dollars(250) });
  expect(await actsOn(id)).toEqual([{ action: 'withdrawals.approve', actorId: ann.id }]);
  await stream.heard({ feature: 'withdrawals', id });
  await stream.close();
  await expectSound();
});

test('Reject returns the held amount and records the reason', async () => {
  const ann = await addClerk();
  const { id, user } = await requested(5_000);
  expect((await reject(ann, id)).json['withdrawal']).toMatchObject({
    status: 'Failed',
    reason: 'The wallet is not theirs.',
    decidedBy: ann.username,
  });
  expect(await totalsOf(user)).toMatchObject({ availableUsd: dollars(5_000), withdrawingUsd: 0n, withdrawnUsd: 0n });
  expect(await actsOn(id)).toEqual([{ action: 'withdrawals.reject', actorId: ann.id }]);
});

test('paying and returning have the same key in the ledger', async () => {
  const ann = await addClerk();
  const [paid, returned] = [await requested(1), await requested(1)];
  await approve(ann, paid.id);
  await reject(ann, returned.id);
  const settling = db.owner.selectFrom('transfer').select(['causeId', 'part', 'credit']).where('debit', '=', 'held');
  const rows = await settling.where('causeId', 'in', [paid.id, returned.id]).orderBy('id').execute();
  expect(rows).toEqual([
    { causeId: paid.id, part: 1, credit: 'outside' },
    { causeId: returned.id, part: 1, credit: 'available' },
  ]);
});

test('fifty concurrent approvals and rejections have one effect', async () => {
  const clerks = await Promise.all([addClerk(), addClerk()]);
  const { id, user } = await requested(100);
  const tries = Array.from({ length: 50 }, (_, turn) => {
    const clerk = clerks[turn % 2] as Clerk;
    return turn % 3 === 0 ? reject(clerk, id) : approve(clerk, id);
  });
  const answers = await Promise.all(tries);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ json }) => json['code'] === 'WithdrawalDecided')).toHaveLength(49);
  const { availableUsd, withdrawnUsd, withdrawingUsd } = await totalsOf(user);
  expect({ moved: availableUsd + withdrawnUsd, withdrawingUsd }).toEqual({ moved: dollars(100), withdrawingUsd: 0n });
  expect(await actsOn(id)).toHaveLength(1);
});

test('above the limit Approve requests a second approval and pays nothing', async () => {
  const ann = await addClerk();
  const { id, user } = await requested(1_001);
  const { status, json } = await approve(ann, id);
  expect(status).toBe(200);
  expect(json['withdrawal']).toMatchObject({
    status: 'Pending',
    preparedBy: ann.username,
    waitsUntil: expect.stringMatching(/Z$/),
  });
  expect(await totalsOf(user)).toMatchObject({ withdrawingUsd: dollars(1_001), withdrawnUsd: 0n });
  expect((await approve(ann, id)).json['code']).toBe('ApprovalWaiting');
  expect((await approve(await addClerk(), id)).json['code']).toBe('ApprovalWaiting');
  expect(await actsOn(id)).toEqual([{ action: 'withdrawals.ask', actorId: ann.id }]);
});

test('an administrator can pay exactly the daily limit alone, and more only with a second approver', async () => {
  const ann = await addClerk();
  const { id } = await requested(1_000);
  expect((await approve(ann, id)).json['withdrawal']).toMatchObject({ status: 'Completed' });
  const more = await requested(1);
  expect((await approve(ann, more.id)).json['withdrawal']).toMatchObject({ status: 'Pending' });
  const other = await requested(1);
  expect((await approve(await addClerk(), other.id)).json['withdrawal']).toMatchObject({ status: 'Completed' });
});

test('concurrent approvals by one administrator do not exceed the daily limit', async () => {
  const ann = await addClerk();
  const many = await Promise.all(Array.from({ length: 8 }, () => requested(300)));
  const answers = await Promise.all(many.map(({ id }) => approve(ann, id)));
  const paid = answers.filter(({ json }) => (json['withdrawal'] as { status: string }).status === 'Completed');
  expect(paid).toHaveLength(3);
});

const stopped = [
  [
    'WithdrawalsDisabled',
    'update withdrawal_switch set enabled = false',
    'update withdrawal_switch set enabled = true',
  ],
  [
    'UnderMaintenance',
    `update maintenance set active = true, ends_at = now() + interval '1 hour'`,
    'update maintenance set active = false, ends_at = null',
  ],
] as const;

test.each(stopped)('%s: approving is refused, and rejecting is possible', async (code, start, end) => {
  const ann = await addClerk();
  const [{ id }, large] = [await requested(10), await requested(5_000)];
  await sql.raw(start).execute(db.owner);
  try {
    for (const one of [id, large.id]) {
      const { status, json } = await approve(ann, one);
      expect({ status, code: json['code'] }).toEqual({ status: 409, code });
    }
    expect((await reject(ann, id)).status).toBe(200);
  } finally {
    await sql.raw(end).execute(db.owner);
  }
  await expectSound();
});

test('a blacklisted user is not paid', async () => {
  const ann = await addClerk();
  const { id, user } = await requested(10);
  await sql`update platform_user set blacklisted_at = now(), blacklist_reason = 'x' where id = ${user}::uuid`.execute(
    db.owner,
  );
  expect((await approve(ann, id)).json['code']).toBe('UserBlacklisted');
  expect((await totalsOf(user)).withdrawingUsd).toBe(dollars(10));
});

test('a bulk request decides each withdrawal on its own and lists the refused ones', async () => {
  const ann = await addClerk();
  const [small, large, decided] = [await requested(10), await requested(9_000), await requested(20)];
  await reject(await addClerk(), decided.id);
  const unknown = '019c0000-0000-7000-8000-000000000000';
  const ids = [small.id, large.id, decided.id, unknown, small.id];
  const { json } = await decideMany(ann, { ids });
  expect(json).toEqual({
    done: 1,
    requested: 1,
    refused: [
      { id: decided.id, user: expect.any(String), error: 'Someone else has just decided this withdrawal.' },
      { id: unknown, user: null, error: 'This withdrawal does not exist.' },
    ],
  });
  expect((await decideMany(ann, { ids: [large.id], rejectedFor: 'No.' })).json).toEqual({
    done: 1,
    requested: 0,
    refused: [],
  });
  expect(await totalsOf(large.user)).toMatchObject({ availableUsd: dollars(9_000), withdrawingUsd: 0n });
  await expectSound();
});

test.each([
  ['Support', 403],
  ['Auditor', 403],
  ['Finance', 200],
] as const)(
  'approving, rejecting and bulk decisions by an Admin narrowed to %s return %i',
  async (permissionSet, expected) => {
    const clerk = await addClerk(permissionSet);
    const [one, other, third] = [await requested(1), await requested(1), await requested(1)];
    expect((await approve(clerk, one.id)).status).toBe(expected);
    expect((await reject(clerk, other.id)).status).toBe(expected);
    expect((await decideMany(clerk, { ids: [third.id] })).status).toBe(expected);
  },
);

test.each([
  [{ reason: '' }, 'reject'],
  [{}, 'reject'],
  [{ reference: '' }, 'approve'],
  [{ reference: 'r'.repeat(201) }, 'approve'],
  [{ amount: '5' }, 'approve'],
])('the body %o is rejected by %s', async (body, action) => {
  const ann = await addClerk();
  const { id } = await requested(1);
  expect((await server.call('POST', `/api/withdrawals/${id}/${action}`, { token: ann.token, body })).status).toBe(400);
});

const insertRequest = async () => {
  const { id: userId } = await addUser(db.owner);
  const { rows } = await sql<{ id: string }>`
    insert into withdrawal (user_id, amount_usd, wallet, balance_usd, gmp_shares, prev_slx, slx_points)
    values (${userId}::uuid, 5, 'w', 0, 0, 0, 0) returning id`.execute(db.owner);
  return String(rows[0]?.id);
};

// The last two tests leave withdrawals that a verification names.
test('a withdrawal for which nothing is held is not paid', async () => {
  const ann = await addClerk();
  const id = await insertRequest();
  await db.owner.transaction().execute((tx) => sealRecords(tx, 'withdrawal-request', [id]));
  expect((await approve(ann, id)).json['code']).toBe('BalanceTooLow');
  const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token: ann.token });
  expect(json['withdrawal']).toMatchObject({ status: 'Pending' });
});

test('a withdrawal that was inserted into the database is not approved', async () => {
  const ann = await addClerk();
  const id = await insertRequest();
  const answer = await approve(ann, id);
  expect([answer.status, answer.json['code']]).toEqual([409, 'WithdrawalForged']);
});
