import { expect, test } from 'vitest';
import { testDatabase } from '#server/core/testing/database.ts';
import { ledgerOf } from '#server/core/testing/ledger.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin, testServer } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';

const units = 5_000_000_000n;

/** An administrator requests a large withdrawal and approves the request themselves, with this delay configured. */
async function approvedAlone(seconds: string) {
  await using db = await testDatabase();
  await using server = await testServer(db.url, { BURSAR_ALONE_AFTER_SECONDS: seconds });
  await addAdmin(db.database, { username: 'ann' });
  const token = await server.signIn('ann');
  const { id: userId } = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId, units });
  await server.call('POST', `/api/withdrawals/${id}/approve`, { token, body: { reference: 'already sent' } });
  const { json } = await server.call('GET', '/api/approvals', { token });
  const [approval] = json['approvals'] as { id: string; digest: string }[];
  const body = { decision: 'approve', digest: approval?.digest };
  const decided = await server.call('POST', `/api/approvals/${approval?.id}/decide`, { token, body });
  const { withdrawnUsd } = await ledgerOf(db).totalsOf(userId);
  return { delay: json['aloneAfterSeconds'], status: decided.status, code: decided.json['code'], withdrawnUsd };
}

test('an only administrator can approve their own request after the delay and not before', async () => {
  expect(await approvedAlone('3600')).toEqual({ delay: 3600, status: 409, code: 'TooEarly', withdrawnUsd: 0n });
  expect(await approvedAlone('0')).toEqual({ delay: 0, status: 200, code: undefined, withdrawnUsd: units });
});
