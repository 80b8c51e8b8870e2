import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';

/* Requests that were made before facts had keys and still wait when the installation is upgraded. */
const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
await addAdmin(db.database, { username: 'bea' });
const ann = await server.signIn('ann');
const bea = await server.signIn('bea');

type Approval = { id: string; subject: string; facts: { key: string; value: string }[] };

async function readAll() {
  const { json } = await server.call('GET', '/api/approvals?limit=100', { token: bea });
  return json['approvals'] as Approval[];
}

/** Creates a version 1 request for a withdrawal of 5,000 USD. The request itself may name another amount. */
async function requestAsBefore(amount = '5000.00 USD') {
  const user = await addUser(db.owner);
  const withdrawal = await addWithdrawal(db.owner, { userId: user.id, units: 5_000_000_000n });
  await server.call('POST', `/api/withdrawals/${withdrawal}/approve`, { token: ann, body: {} });
  const approval = (await readAll()).find(({ subject }) => subject === withdrawal);
  const facts = [
    { name: 'Withdrawal of', value: user.username },
    { name: 'Amount', value: amount },
    { name: 'To wallet', value: 'So1Wallet' },
    { name: 'Requested', value: approval?.facts.find(({ key }) => key === 'requestedAt')?.value ?? '' },
  ];
  const digest = createHash('sha256')
    .update(JSON.stringify(['withdrawal', withdrawal, user.id, facts.map(({ name, value }) => [name, value])]))
    .digest('hex');
  await sql`alter table approval disable trigger approval_stays_decided`.execute(db.owner);
  await sql`update approval set payload = ${JSON.stringify({ userUuid: user.id, facts })}::jsonb, digest = ${digest},
    digest_version = 1 where id = ${approval?.id}::uuid`.execute(db.owner);
  await sql`alter table approval enable trigger approval_stays_decided`.execute(db.owner);
  return { id: String(approval?.id), user, digest };
}

const approve = ({ id, digest }: { id: string; digest: string }) =>
  server.call('POST', `/api/approvals/${id}/decide`, { token: bea, body: { decision: 'approve', digest } });

test('a version 1 request is shown with its own labels and can be approved', async () => {
  const request = await requestAsBefore();
  const approval = (await readAll()).find(({ id }) => id === request.id);
  expect(approval?.facts[0]).toEqual({ key: 'Withdrawal of', value: request.user.username });
  expect((await approve(request)).status).toBe(200);
});

test('a version 1 request that differs from what would be done is void', async () => {
  const { status, json } = await approve(await requestAsBefore('4999.00 USD'));
  expect({ status, code: json['code'] }).toEqual({ status: 409, code: 'ApprovalVoid' });
});
