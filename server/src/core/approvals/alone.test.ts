import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';

const units = 5_000_000_000n;

/** The only administrator of an installation that says so asks for a large withdrawal and approves it themselves. */
async function approvedAlone(seconds: string) {
  await using db = await testDatabase();
  await using server = await testServer(db.url, { BURSAR_ALONE_AFTER_SECONDS: seconds });
  await addAdmin(db.database, { username: 'ann' });
  const token = await server.signIn('ann');
  const { id: userId } = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId, units });
  await server.call('POST', `/api/withdrawals/${id}/approve`, { token, body: {} });
  const { json } = await server.call('GET', '/api/approvals', { token });
  const [approval] = json['approvals'] as { id: string; digest: string }[];
  const body = { decision: 'approve', digest: approval?.digest };
  const decided = await server.call('POST', `/api/approvals/${approval?.id}/decide`, { token, body });
  const { withdrawnUsd } = await ledgerOf(db).totalsOf(userId);
  return { said: json['aloneAfterSeconds'], status: decided.status, code: decided.json['code'], withdrawnUsd };
}

test('an administrator who is alone approves by themselves, after the delay and not before', async () => {
  expect(await approvedAlone('3600')).toEqual({ said: 3600, status: 409, code: 'TooEarly', withdrawnUsd: 0n });
  expect(await approvedAlone('0')).toEqual({ said: 0, status: 200, code: undefined, withdrawnUsd: units });
});
