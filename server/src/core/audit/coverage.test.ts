import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { approved, decideOn } from '#server/core/testing/second.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { addUser } from '#server/core/testing/user.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { verifyAudit } from './audit.ts';
import { findUnrecorded } from './coverage.ts';

const { db, server } = await testEnvironment();
const root = await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const colleague = await addAdmin(db.database, { username: 'rita', role: 'SuperAdmin' });
const [token, rita] = [await server.signIn('root'), await server.signIn('rita')];
const call = (path: string, body: object, method = 'POST') => server.call(method, `/api/${path}`, { token, body });

/** Changes rows as someone with full access to the database could. */
const forge = (statement: string) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx);
    await sql.raw(statement).execute(tx);
  });

const inBoth = async () => {
  const found = await findUnrecorded(db.database);
  expect(await findUnrecorded(db.worker)).toEqual(found);
  return found.map(({ code, where }) => [code, ...where]);
};

/** Approves what waits. A grant also confirms its account, whose own request is then void. */
async function approveAll() {
  const { json } = await server.call('GET', '/api/approvals?state=waiting', { token: rita });
  const { approvals } = json as { approvals: { id: string }[] };
  let decided = 0;
  for (const { id } of approvals) if ((await decideOn(server, id, { token: rita })).status === 200) decided += 1;
  return decided;
}

test('everything that was changed in the panel has its audit row', async () => {
  const limits = { kind: 'alone', asset: 'USD', limit: '900.00', version: 1 };
  expect((await call('approvals/limits', limits)).status).toBe(200);
  expect(await approveAll()).toBe(1);

  const settings = { enabled: false, baseReward: 40, bonusReward: 30, loyaltyReward: 30 };
  await approved(server, await call('jobs/stake-payout', { settings, version: 1 }), rita);

  const newcomer = {
    username: 'cal',
    password: 'quiet orchard lantern',
    confirmPassword: 'quiet orchard lantern',
    role: 'SuperAdmin',
  };
  expect((await call('admin/signup', newcomer)).status).toBe(200);
  expect(await approveAll()).toBeGreaterThan(0);

  const { id: userId } = await addUser(db.owner);
  const small = await addWithdrawal(db.owner, { userId, units: 5_000_000n });
  expect((await call(`withdrawals/${small}/approve`, { reference: 'tx small' })).status).toBe(200);
  const large = await addWithdrawal(db.owner, { userId, units: 5_000_000_000n });
  await call(`withdrawals/${large}/approve`, { reference: 'tx large' });
  expect(await approveAll()).toBe(1);

  expect(await inBoth()).toEqual([]);
  const { rows } = await sql<{ kind: string; rule: string }>`
    select kind::text, rule::text from approval where state = 'approved'`.execute(db.owner);
  const approvedKinds = rows.map(({ kind, rule }) => `${kind} ${rule}`);
  expect(approvedKinds).toEqual(
    expect.arrayContaining(['limit second', 'grant second', 'withdrawal limit', 'withdrawal second']),
  );
});

test('a limit, a role, settings and decisions without their audit row are named', async () => {
  await forge(`insert into approval_limit (kind, asset, version, limit_units, saved_by, approved_by)
    values ('alone', 'USD', 3, 1, '${root.id}', '${root.id}')`);
  expect(await inBoth()).toEqual([['limit-unrecorded', 'alone USD, version 3']]);
  await forge(`delete from approval_limit where version = 3`);

  await forge(`update admin set role = 'Admin' where username = 'cal'`);
  expect(await inBoth()).toEqual([['role-unrecorded', 'cal']]);
  await forge(`update admin set role = 'SuperAdmin' where username = 'cal'`);

  await forge(`insert into job_settings (job, version, settings, effective_from, saved_by)
    select job, 9, settings, now(), '${root.id}' from job_settings where job = 'stake-payout' and version = 1`);
  expect(await inBoth()).toEqual([['settings-unrecorded', 'stake-payout, version 9']]);
  await forge('delete from job_settings where version = 9');

  const { rows } = await sql<{ id: string }>`
    insert into approval (kind, subject_id, payload, digest, requested_by, expires_at)
    values ('withdrawal', gen_random_uuid(), '{"userUuid":null,"facts":[]}', 'forged', ${root.id}, now() + interval '1 hour')
    returning id`.execute(db.owner);
  const id = rows[0]?.id ?? '';
  await forge(`update approval set state = 'approved', rule = 'second', decided_by = '${colleague.id}', decided_at = now()
    where id = '${id}'`);
  expect(await inBoth()).toEqual([['decision-unrecorded', `withdrawal ${id}`]]);
  await forge(`delete from approval where id = '${id}'`);
  expect(await inBoth()).toEqual([]);
});

test('an audit row that is removed is named by the chain, and what it recorded by its absence', async () => {
  const { rows } = await sql<{ seq: bigint }>`
    select seq from audit_entry where action = 'approvals.approve' and details::jsonb ->> 'kind' = 'limit'`.execute(
    db.owner,
  );
  const seq = rows[0]?.seq ?? 0n;
  await forge(`delete from audit_entry where seq = ${seq}`);
  expect(await verifyAudit(db.database)).toEqual({ sound: false, badSeq: seq, why: 'missing' });
  expect(await inBoth()).toEqual([
    ['decision-unrecorded', expect.stringMatching(/^limit /)],
    ['limit-unrecorded', 'alone USD, version 2'],
  ]);
});
