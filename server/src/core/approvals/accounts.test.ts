import type { PermissionSet } from 'contract/core/permissions.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { addWithdrawal } from '#server/core/testing/transfers.ts';
import { addUser } from '#server/core/testing/user.ts';

/* When an account whose rights come from another administrator may approve. */
const { db, server } = await testEnvironment();
const root = await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const rootToken = await server.signIn('root');
await addAdmin(db.database, { username: 'ann', permissionSet: 'Finance' });
const ann = await server.signIn('ann');

let added = 0;
const hours = 3_600_000;

/** Adds an account to which root gave its rights so many hours ago. */
async function given(hoursAgo: number, permissionSet: PermissionSet = 'Finance') {
  added += 1;
  const account = { username: `given${added}`, permissionSet, given: { by: root.id, hoursAgo } };
  const { id, username } = await addAdmin(db.database, account);
  return { id, username, token: await server.signIn(username) };
}
type Account = Awaited<ReturnType<typeof given>>;

/** Requests a withdrawal above the limit, as ann, and returns the id of the request. */
async function requested(token = ann) {
  const { id: userId } = await addUser(db.owner);
  const id = await addWithdrawal(db.owner, { userId, units: 5_000_000_000n });
  const { json } = await server.call('POST', `/api/withdrawals/${id}/approve`, { token, body: {} });
  return (json['withdrawal'] as { waitingApproval: string }).waitingApproval;
}

type Approver = { username: string; refusal: string | null; from: string | null };

/** Returns how a request of ann lists the account among its approvers. */
async function listed({ username }: Account) {
  const { json } = await server.call('GET', `/api/approvals/${await requested()}`, { token: ann });
  return (json['approvers'] as Approver[]).find((approver) => approver.username === username);
}

/** Returns the code with which the account approves a request of ann, or undefined if it may. */
const approving = async ({ token }: Account) => (await decideOn(server, await requested(), { token })).json['code'];

/** Returns the id of the waiting request to confirm the account. */
async function confirmationOf({ id }: Account) {
  const { rows } = await sql<{ id: string }>`
    select id from approval where kind = 'account' and subject_id = ${id} and state = 'waiting'`.execute(db.owner);
  return rows[0]?.id;
}

const change = ({ id }: Account, body: object) =>
  server.call('PATCH', `/api/admin/${id}`, { token: rootToken, body: { version: 1, ...body } });

test('an unconfirmed account may approve 72 hours after it was given', async () => {
  const early = await given(71.99);
  expect(await approving(early)).toBe('AccountUnconfirmed');
  const shown = await listed(early);
  expect(shown).toMatchObject({ refusal: 'AccountUnconfirmed' });
  const left = Date.parse(shown?.from ?? '') - Date.now();
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(0.01 * hours);

  const late = await given(72);
  expect(await listed(late)).toEqual({ username: late.username, refusal: null, from: null });
  expect(await approving(late)).toBeUndefined();
});

test('an account from the command line may approve at once', async () => {
  const { id, username } = await addAdmin(db.database, { username: 'console', permissionSet: 'Finance' });
  expect(await approving({ id, username, token: await server.signIn(username) })).toBeUndefined();
});

test('a denied account may never approve, also not after 72 hours', async () => {
  const account = await given(500);
  expect(await approving(account)).toBeUndefined();
  const { rows } = await sql<{ id: string }>`
    insert into approval (kind, subject_id, payload, digest, requested_by, expires_at)
    values ('account', ${account.id}, '{"userUuid": null, "facts": []}', '', ${root.id}, now() + interval '1 hour')
    returning id`.execute(db.owner);
  const approval = rows[0]?.id ?? '';
  await sql`insert into admin_authority (admin_id, cause, given_by, given_at, approval_id)
    values (${account.id}, 'widened', ${root.id}, now() - interval '400 hours', ${approval})`.execute(db.owner);
  // It was neither confirmed nor denied in time.
  expect(await approving(account)).toBeUndefined();

  expect((await decideOn(server, approval, { token: ann, decision: 'deny' })).status).toBe(200);
  expect(await listed(account)).toEqual({ username: account.username, refusal: 'AccountUnconfirmed', from: null });
  expect(await approving(account)).toBe('AccountUnconfirmed');
});

test('an account that a SuperAdmin creates may approve once another approver has confirmed it', async () => {
  const body = { username: 'newcomer', password: testPassword, confirmPassword: testPassword, role: 'Admin' };
  const { json } = await server.call('POST', '/api/admin/signup', { token: rootToken, body });
  const account = { ...(json['admin'] as { id: string; username: string }), token: '' };
  expect(await listed(account)).toMatchObject({ refusal: 'PasswordTemporary' });
  await sql`update admin_credential set temporary = false where admin_id = ${account.id}`.execute(db.owner);
  account.token = await server.signIn('newcomer');
  expect(await approving(account)).toBe('AccountUnconfirmed');

  const confirmation = await confirmationOf(account);
  const { json: shown } = await server.call('GET', `/api/approvals/${confirmation}`, { token: ann });
  const { facts, requestedAt, expiresAt } = shown['approval'] as Record<string, string>;
  expect(facts).toEqual([
    { key: 'administrator', value: 'newcomer' },
    { key: 'authority', value: 'created' },
  ]);
  expect(Date.parse(expiresAt ?? '') - Date.parse(requestedAt ?? '')).toBe(72 * hours);
  const confirm = async (token: string) => (await decideOn(server, confirmation ?? '', { token })).json['code'];
  expect(await confirm(rootToken)).toBe('OwnRequest');
  expect(await confirm(account.token)).toBe('OwnAccount');
  // Otherwise, an administrator could confirm one account with another.
  expect(await confirm((await given(1)).token)).toBe('AccountUnconfirmed');
  expect(await confirm(ann)).toBeUndefined();
  expect(await approving(account)).toBeUndefined();
});

test('an account that gets the right to approve must be confirmed; one that keeps or loses rights need not', async () => {
  const widened = await given(100, 'Support');
  await change(widened, { permissionSet: 'Finance' });
  widened.token = await server.signIn(widened.username);
  expect(await approving(widened)).toBe('AccountUnconfirmed');
  expect((await decideOn(server, (await confirmationOf(widened)) ?? '', { token: ann })).status).toBe(200);
  expect(await approving(widened)).toBeUndefined();

  const renamed = await given(100);
  await change(renamed, { newUsername: 'renamed.account' });
  expect(await approving(renamed)).toBeUndefined();

  const narrowed = await given(100);
  await change(narrowed, { permissionSet: 'Support' });
  expect(await confirmationOf(narrowed)).toBeUndefined();

  const elsewhere = await given(100, 'Support');
  await change(elsewhere, { permissionSet: 'Auditor' });
  expect(await confirmationOf(elsewhere)).toBeUndefined();
});

test('widening an account again voids the older request and needs a new confirmation', async () => {
  const account = await given(100, 'Support');
  await change(account, { permissionSet: 'Finance' });
  const older = (await confirmationOf(account)) ?? '';
  expect((await decideOn(server, older, { token: ann })).status).toBe(200);
  await change(account, { version: 2, permissionSet: null });
  account.token = await server.signIn(account.username);
  expect(await approving(account)).toBe('AccountUnconfirmed');
  const newer = (await confirmationOf(account)) ?? '';
  await change(account, { version: 3, permissionSet: 'Finance' });
  await change(account, { version: 4, permissionSet: null });
  expect(await confirmationOf(account)).not.toBe(newer);
  expect((await decideOn(server, newer, { token: ann })).json['code']).toBe('ApprovalDecided');
});

test('a SuperAdmin whose role two others granted may approve at once', async () => {
  await addAdmin(db.database, { username: 'rita', role: 'SuperAdmin' });
  const rita = await server.signIn('rita');
  const account = await given(1);
  const { json } = await change(account, { role: 'SuperAdmin' });
  expect(await approving(account)).toBe('AccountUnconfirmed');
  const { approval } = json['waiting'] as { approval: string };
  expect((await decideOn(server, approval, { token: rita })).status).toBe(200);
  account.token = await server.signIn(account.username);
  expect(await approving(account)).toBeUndefined();
});

test('an account that may not approve yet is deleted by one administrator, and one that may needs two', async () => {
  const remove = async ({ username }: Account) =>
    (await server.call('POST', '/api/admin/delete', { token: rootToken, body: { username } })).json['waiting'];
  expect(await remove(await given(71))).toBeNull();
  expect(await remove(await given(73))).toMatchObject({ requestedBy: 'root' });
});

test('no administrator can change or delete where a right comes from', async () => {
  for (const statement of ['update admin_authority set given_by = null', 'delete from admin_authority']) {
    await expect(sql.raw(statement).execute(db.database)).rejects.toMatchObject({ code: '42501' });
    await expect(sql.raw(statement).execute(db.owner)).rejects.toMatchObject({ code: 'BU002' });
  }
});

/** Has an account wait for its confirmation, as one whose password root has set. */
async function awaitConfirmation({ id }: { id: string }) {
  const { rows } = await sql<{ id: string }>`
    insert into approval (kind, subject_id, payload, digest, requested_by, expires_at)
    values ('account', ${id}, '{"userUuid": null, "facts": []}', '', ${root.id}, now() + interval '1 hour')
    returning id`.execute(db.owner);
  await sql`insert into admin_authority (admin_id, cause, given_by, approval_id)
    values (${id}, 'password', ${root.id}, ${rows[0]?.id})`.execute(db.owner);
}

test('a new name or more permissions do not take the creator of an unconfirmed account from behind it', async () => {
  await addAdmin(db.database, { username: 'dora', role: 'SuperAdmin' });
  const dora = await server.signIn('dora');
  for (const change of [{ newUsername: 'corrected.name' }, { permissionSet: null }]) {
    const account = await given(1);
    await awaitConfirmation(account);
    const call = { token: dora, body: { version: 1, ...change } };
    expect((await server.call('PATCH', `/api/admin/${account.id}`, call)).status).toBe(200);
    const { rows } = await sql<{ username: string }>`select username from admin where id = ${account.id}`.execute(
      db.owner,
    );
    const request = await requested(await server.signIn(rows[0]?.username ?? ''));
    for (const token of [rootToken, dora]) {
      expect((await decideOn(server, request, { token })).json['code']).toBe('RequesterUnconfirmed');
    }
    // Renaming and widening an account with a waiting confirmation asks for it anew.
    const confirmation = (await confirmationOf(account)) ?? '';
    expect((await decideOn(server, confirmation, { token: rootToken })).json['code']).toBe('RequesterUnconfirmed');
    expect((await decideOn(server, confirmation, { token: ann })).status).toBe(200);
    expect((await decideOn(server, request, { token: rootToken })).status).toBe(200);
  }
});

test('an administrator who set the password of another cannot confirm them after giving them another name', async () => {
  const account = { username: 'recovered', role: 'SuperAdmin', given: { by: root.id, hoursAgo: 1 } } as const;
  const { id } = await addAdmin(db.database, account);
  await awaitConfirmation({ id });
  const token = await server.signIn('recovered');
  const body = { version: 1, newUsername: 'recovered.again' };
  expect((await server.call('PATCH', `/api/admin/${id}`, { token, body })).status).toBe(200);
  const confirmation = (await confirmationOf({ id, username: '', token })) ?? '';
  expect((await decideOn(server, confirmation, { token: rootToken })).json['code']).toBe('RequesterUnconfirmed');
  const request = await requested(token);
  expect((await decideOn(server, request, { token: rootToken })).json['code']).toBe('RequesterUnconfirmed');
});
