import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

/* A withdrawal that may have been sent already is neither sent again nor returned by one administrator. */

const { db, server } = await testEnvironment();
const { totalsOf, expectSound } = ledgerOf(db);
const dollars = (amount: number) => BigInt(amount) * 1_000_000n;

let admins = 0;

async function addClerk() {
  admins += 1;
  const { username } = await addAdmin(db.database, { username: `clerk.${admins}` });
  return { username, token: await server.signIn(username) };
}
type Clerk = Awaited<ReturnType<typeof addClerk>>;

async function requested(amount: number) {
  const user = await addUser(db.owner);
  return { user: user.id, id: await addWithdrawal(db.owner, { userId: user.id, units: dollars(amount) }) };
}

const approve = ({ token }: Clerk, id: string, body: object = { reference: `tx ${id}` }) =>
  server.call('POST', `/api/withdrawals/${id}/approve`, { token, body });
const reject = ({ token }: Clerk, id: string) =>
  server.call('POST', `/api/withdrawals/${id}/reject`, { token, body: { reason: 'The wallet is not theirs.' } });
const decideMany = ({ token }: Clerk, body: object) => server.call('POST', '/api/withdrawals/decide', { token, body });

test('approving without a reference clears the reference of a denied request', async () => {
  const [ann, bea] = [await addClerk(), await addClerk()];
  await approve(ann, (await requested(900)).id);
  const { id } = await requested(200);
  expect((await approve(ann, id, { reference: 'not-on-the-chain' })).json['withdrawal']).toMatchObject({
    status: 'Pending',
  });
  const request = await db.owner
    .selectFrom('approval')
    .select(['id', 'digest'])
    .where('subjectId', '=', id)
    .executeTakeFirstOrThrow();
  const denial = { decision: 'deny', digest: request.digest, reason: 'Nothing was sent.' };
  await server.call('POST', `/api/approvals/${request.id}/decide`, { token: bea.token, body: denial });
  expect((await approve(bea, id, {})).json['withdrawal']).toMatchObject({ state: 'approved', reference: null });
});

test('a withdrawal whose expired request named a transaction is neither sent again nor returned until another administrator denies that request', async () => {
  const [ann, bea] = [await addClerk(), await addClerk()];
  await approve(ann, (await requested(900)).id);
  const { id, user } = await requested(200);
  await approve(ann, id, { reference: 'sent-overnight' });
  expect((await reject(bea, id)).json['code']).toBe('AlreadySent');
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql`update approval set requested_at = now() - interval '3 hours', expires_at = now() - interval '1 hour'
      where subject_id = ${id}`.execute(tx);
  });

  for (const body of [{}, { reference: 'another' }]) {
    expect((await approve(bea, id, body)).json['code']).toBe('AlreadySent');
  }
  expect((await reject(bea, id)).json['code']).toBe('AlreadySent');
  for (const body of [{ ids: [id] }, { ids: [id], rejectedFor: 'Too old.' }]) {
    expect((await decideMany(bea, body)).json['refused']).toMatchObject([{ id }]);
  }
  expect(await totalsOf(user)).toMatchObject({ withdrawingUsd: dollars(200) });

  // It is within her limit, but only another administrator can say that it was not sent.
  const again = await approve(bea, id, { reference: 'sent-overnight' });
  expect(again.json['withdrawal']).toMatchObject({ state: 'requested', preparedBy: bea.username });
  const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token: ann.token });
  const { waitingApproval } = json['withdrawal'] as { waitingApproval: string };
  const request = await server.call('GET', `/api/approvals/${waitingApproval}`, { token: ann.token });
  const { digest } = request.json['approval'] as { digest: string };
  const denial = { decision: 'deny', digest, reason: 'It was never sent.' };
  await server.call('POST', `/api/approvals/${waitingApproval}/decide`, { token: ann.token, body: denial });
  expect((await reject(bea, id)).status).toBe(200);
  expect(await totalsOf(user)).toMatchObject({ availableUsd: dollars(200) });
  await expectSound();
});

test('the requester of an approval cannot deny it to return what was sent', async () => {
  const [ann, bea] = [await addClerk(), await addClerk()];
  const { id, user } = await requested(5_000);
  await approve(ann, id, { reference: 'sent-by-ann' });
  const waiting = async () => {
    const { json } = await server.call('GET', `/api/withdrawals/${id}`, { token: ann.token });
    return (json['withdrawal'] as { waitingApproval: string }).waitingApproval;
  };
  expect((await decideOn(server, await waiting(), { ...ann, decision: 'deny' })).status).toBe(200);
  for (const clerk of [ann, bea]) expect((await reject(clerk, id)).json['code']).toBe('AlreadySent');
  expect((await approve(bea, id, {})).json['code']).toBe('AlreadySent');

  await approve(ann, id, { reference: 'sent-by-ann' });
  expect((await decideOn(server, await waiting(), { ...bea, decision: 'deny' })).status).toBe(200);
  expect((await reject(ann, id)).status).toBe(200);
  expect(await totalsOf(user)).toMatchObject({ availableUsd: dollars(5_000), withdrawingUsd: 0n });
});

test('a pending withdrawal that was imported with its transaction is neither sent again nor returned', async () => {
  const ann = await addClerk();
  const { id, user } = await requested(10);
  await sql`update withdrawal set reference = 'sent-by-the-old-platform' where id = ${id}`.execute(db.owner);
  expect((await approve(ann, id, {})).json['code']).toBe('AlreadySent');
  expect((await reject(ann, id)).json['code']).toBe('AlreadySent');
  expect(await totalsOf(user)).toMatchObject({ withdrawingUsd: dollars(10) });
});
