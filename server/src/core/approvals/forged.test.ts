import { expect, test } from 'vitest';
import { decideOn } from '#server/core/testing/second.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea' });
const [ann, bea] = [await server.signIn('ann'), await server.signIn('bea')];

test('a request that Bursar did not seal is not approved, and stays for a verification to name', async () => {
  const { id: userId } = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId, units: 5_000_000_000n });
  const sent = await server.call('POST', `/api/withdrawals/${id}/approve`, { token: ann, body: {} });
  const waiting = async () =>
    (await server.call('GET', '/api/approvals?state=waiting', { token: bea })).json['approvals'] as { id?: string }[];
  const [{ id: request = '' } = {}] = await waiting();
  expect([sent.status, await waiting()]).toMatchObject([200, [{ subject: id }]]);
  await db.ownerPool.query(`
    begin; set local session_replication_role = replica;
    delete from record_seal where record_id = '${request}'; commit`);
  const decided = await decideOn(server, request, { token: bea });
  expect([decided.status, decided.json['code']]).toEqual([409, 'ApprovalForged']);
  expect(await waiting()).toMatchObject([{ id: request }]);
  const denied = await decideOn(server, request, { token: bea, decision: 'deny' });
  expect(denied.status).toBe(200);
});
