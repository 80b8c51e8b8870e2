import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';

const { db, server } = await testEnvironment();

async function clerk(username: string, permissionSet?: 'Finance' | 'Support' | 'Auditor') {
  await addAdmin(db.database, { username, ...(permissionSet && { permissionSet }) });
  return server.signIn(username);
}

/** Adds an account to which another administrator has just given its rights. */
async function unconfirmed(username: string) {
  const token = await clerk(username, 'Finance');
  await sql`insert into admin_authority (admin_id, cause, given_by)
    select own.id, 'widened', other.id from admin as own, admin as other
    where own.username = ${username} and other.username = 'ann'`.execute(db.owner);
  return token;
}

type ListedApproval = { id: string; subject: string; refusal: string | null; signals: string[]; digest: string };

/** Adds a withdrawal above the limit and requests its second approval. */
async function requested(token: string, wallet?: string) {
  const { id: userId } = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId, units: 5_000_000_000n, ...(wallet && { wallet }) });
  expect((await server.call('POST', `/api/withdrawals/${id}/approve`, { token, body: {} })).status).toBe(200);
  const found = (await list(token)).find(({ subject }) => subject === id);
  if (!found) throw new Error('Nothing was requested.');
  return { ...found, userId };
}

const list = async (token: string, on = server) =>
  (await on.call('GET', '/api/approvals?limit=100', { token })).json['approvals'] as ListedApproval[];
const read = async (token: string, id: string) =>
  (await server.call('GET', `/api/approvals/${id}`, { token })).json['approval'] as ListedApproval;
const count = async (token: string, on = server) => (await on.call('GET', '/api/approvals/count', { token })).json;

const [ann, bea] = [await clerk('ann', 'Finance'), await clerk('bea', 'Finance')];

test('the count and the list agree on which requests an administrator may approve', async () => {
  const [first, second] = [await requested(ann), await requested(ann)];
  const support = await clerk('sue', 'Support');
  const puppet = await unconfirmed('puppet');
  const own = await requested(bea);
  const late = await clerk('late', 'Finance');
  const approvable = async (token: string) =>
    (await list(token)).filter(({ refusal }) => refusal === null).map(({ id }) => id);
  const refusals = async (token: string) => new Set((await list(token)).map(({ refusal }) => refusal));

  expect(await count(ann)).toEqual({ waiting: 3, approvable: 1 });
  expect(await approvable(ann)).toEqual([own.id]);
  expect(await refusals(ann)).toEqual(new Set([null, 'OwnRequest']));
  expect(await count(bea)).toEqual({ waiting: 3, approvable: 2 });
  expect(new Set(await approvable(bea))).toEqual(new Set([first.id, second.id]));
  // An account that was created after a request can approve it, because no administrator created it.
  expect(await count(late)).toEqual({ waiting: 3, approvable: 3 });
  expect(await refusals(late)).toEqual(new Set([null]));
  expect(await count(puppet)).toEqual({ waiting: 3, approvable: 0 });
  expect(await refusals(puppet)).toEqual(new Set(['AccountUnconfirmed']));
  expect(await count(support)).toEqual({ waiting: 3, approvable: 0 });
  expect(await refusals(support)).toEqual(new Set(['ApproverNotPermitted']));

  expect(await read(bea, first.id)).toMatchObject({ refusal: null });
  expect((await decideOn(server, first.id, { token: bea })).status).toBe(200);
  expect(await count(bea)).toEqual({ waiting: 2, approvable: 1 });
  expect(await read(bea, first.id)).toMatchObject({ refusal: 'ApprovalDecided', signals: [] });
});

test('with BURSAR_ALONE_AFTER_SECONDS, own requests count as approvable after the delay', async () => {
  const { waiting } = await count(ann);
  await using patient = await testServer(db.url, { BURSAR_ALONE_AFTER_SECONDS: '3600' });
  await using prompt = await testServer(db.url, { BURSAR_ALONE_AFTER_SECONDS: '0' });
  expect(await count(ann, patient)).toMatchObject({ approvable: 1 });
  expect(await count(ann, prompt)).toMatchObject({ approvable: waiting });
  expect((await list(ann, prompt)).filter(({ refusal }) => refusal === null)).toHaveLength(Number(waiting));
  expect(new Set((await list(ann, patient)).map(({ refusal }) => refusal))).toContain('TooEarly');
});

test('a request shows the current signals of its withdrawal, which the digest does not cover', async () => {
  const first = await requested(ann, 'OneWallet');
  const second = await requested(ann, 'AnotherWallet');
  expect(first.signals).toEqual(['new wallet', 'first withdrawal', 'more than half of the balance']);
  // Another user then requests a withdrawal to the same wallet.
  await requested(ann, 'OneWallet');
  const after = await read(bea, first.id);
  expect(after.signals).toEqual(['new wallet', 'shared wallet', 'first withdrawal', 'more than half of the balance']);
  expect(after.digest).toBe(first.digest);
  expect((await list(bea)).find(({ id }) => id === second.id)?.signals).toEqual(second.signals);
  expect((await decideOn(server, first.id, { token: bea })).status).toBe(200);
});
