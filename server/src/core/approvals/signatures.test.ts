import { type Kysely, sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { verifyAudit } from '#server/core/audit/audit.ts';
import { verifyEverything } from '#server/core/audit/verification.ts';
import { resetFactors } from '#server/core/auth/factors/reset.ts';
import { createAuthenticator } from '#server/core/testing/authenticator.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { approvalChallenge } from './signatures.ts';
import { findUnsigned, findUnsignedApprovals } from './unsigned.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const root = await server.signIn('root');

type Authenticator = ReturnType<typeof createAuthenticator>;

let added = 0;
async function approver() {
  added += 1;
  const admin = await addAdmin(db.database, { username: `approver${added}`, role: 'SuperAdmin' });
  return { ...admin, token: await server.signIn(admin.username) };
}

async function addPasskey(token: string) {
  const authenticator = createAuthenticator();
  const start = await server.call('POST', '/api/security/passkeys/challenge', { token });
  const body = { name: 'Laptop', ...authenticator.register(String(start.json['challenge'])) };
  const answer = await server.call('POST', '/api/security/passkeys', { token, body });
  expect(answer.status, answer.text).toBe(200);
  return { authenticator, token: String(answer.json['token']) };
}

type Request = { id: string; digest: string };
let limit = 2_000;

/** Requests a higher limit, which needs a second approver. */
async function request(): Promise<Request> {
  limit += 1;
  const { json } = await server.call('GET', '/api/approvals/limits', { token: root });
  const limits = json['limits'] as { kind: string; asset: string; version: number }[];
  const current = limits.find(({ kind, asset }) => kind === 'alone' && asset === 'USD');
  const body = { kind: 'alone', asset: 'USD', limit: `${limit}.00`, version: current?.version };
  const asked = await server.call('POST', '/api/approvals/limits', { token: root, body });
  expect(asked.status, asked.text).toBe(200);
  const list = await server.call('GET', '/api/approvals?state=waiting', { token: root });
  const [newest] = list.json['approvals'] as Request[];
  if (!newest) throw new Error('No request is waiting.');
  return { id: newest.id, digest: newest.digest };
}

function approve({ id, digest }: Request, token: string, assertion?: object) {
  const body = { decision: 'approve', digest, ...(assertion && { assertion }) };
  return server.call('POST', `/api/approvals/${id}/decide`, { token, body });
}

const signed = (authenticator: Authenticator, { id, digest }: Request) =>
  authenticator.sign(approvalChallenge({ id, digest }));

/** Changes rows as the owner of the database could, who can disable the triggers. */
const forge = (
  table: 'approval' | 'approval_signature' | 'passkey',
  work: (owner: Kysely<never>) => Promise<unknown>,
) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`alter table ${sql.table(table)} disable trigger all`.execute(tx);
    await work(tx as never);
    await sql`alter table ${sql.table(table)} enable trigger all`.execute(tx);
  });

const unsigned = async () => {
  expect((await verifyAudit(db.database)).sound).toBe(true);
  return findUnsignedApprovals(db.database);
};

afterEach(async () => {
  await forge('approval', (owner) =>
    sql`update approval set state = 'void', decided_at = now() where state = 'waiting'`.execute(owner),
  );
});

test('an approver without a passkey signs nothing', async () => {
  const { token } = await approver();
  expect((await approve(await request(), token)).status).toBe(200);
  expect(await unsigned()).toEqual([]);
});

test('an approver with a passkey approves only with its signature of exactly this request', async () => {
  const { authenticator, token } = await addPasskey((await approver()).token);
  const other = await addPasskey((await approver()).token);
  const asked = await request();
  expect(await approve(asked, token)).toMatchObject({ status: 422, json: { code: 'SignatureRequired' } });
  const wrong = {
    'another request': authenticator.sign(approvalChallenge({ ...asked, id: crypto.randomUUID() })),
    'another digest': authenticator.sign(approvalChallenge({ ...asked, digest: 'another' })),
    'the passkey of somebody else': signed(other.authenticator, asked),
    'an unknown passkey': signed(createAuthenticator(), asked),
  };
  for (const [what, assertion] of Object.entries(wrong)) {
    expect((await approve(asked, token, assertion)).json['code'], what).toBe('SignatureWrong');
  }
  expect((await approve(asked, token, signed(authenticator, asked))).status).toBe(200);
  expect(await unsigned()).toEqual([]);
});

test('a denial needs no signature', async () => {
  const { token } = await addPasskey((await approver()).token);
  const asked = await request();
  expect((await decideOn(server, asked.id, { token, decision: 'deny' })).status).toBe(200);
  expect(await unsigned()).toEqual([]);
});

test('an approval that was made before the first passkey needs no signature', async () => {
  const before = await approver();
  const asked = await request();
  expect((await approve(asked, before.token)).status).toBe(200);
  await addPasskey(before.token);
  expect(await unsigned()).toEqual([]);
});

test('after somebody else has reset the factors of an administrator, approvals need no signature', async () => {
  const { id, username, token: first } = await approver();
  const { authenticator, token } = await addPasskey(first);
  const asked = await request();
  expect((await approve(asked, token, signed(authenticator, asked))).status).toBe(200);
  await db.database.transaction().execute((tx) => resetFactors(tx, { actorId: null, adminId: id }));
  const later = await request();
  expect((await approve(later, await server.signIn(username))).status).toBe(200);
  expect(await unsigned()).toEqual([]);
});

test('an approval that the owner of the database invents for an administrator with a passkey is named', async () => {
  const { id, token: first } = await approver();
  const { authenticator, token } = await addPasskey(first);
  const real = await request();
  expect((await approve(real, token, signed(authenticator, real))).status).toBe(200);

  const invented = await request();
  await forge('approval', (owner) =>
    sql`update approval set state = 'approved', rule = 'second', decided_by = ${id}, decided_at = now()
      where id = ${invented.id}`.execute(owner),
  );
  expect(await unsigned()).toEqual([invented.id]);
  const { findings } = await verifyEverything(db.worker, { heads: db.config.audit, verifyDecisions: findUnsigned });
  expect(findings).toContainEqual({ code: 'approval-unsigned', where: [invented.id], count: 1, since: null });

  // As old as before the passkey.
  await forge('approval', (owner) =>
    sql`update approval set requested_at = now() - interval '3 days', expires_at = now() - interval '1 day',
      decided_at = now() - interval '2 days' where id = ${invented.id}`.execute(owner),
  );
  expect(await unsigned()).toEqual([invented.id]);

  // With the signature of another request.
  await sql`insert into approval_signature (approval_id, passkey_id, authenticator_data, client_data, signature)
    select ${invented.id}, passkey_id, authenticator_data, client_data, signature
    from approval_signature where approval_id = ${real.id}`.execute(db.owner);
  expect(await unsigned()).toEqual([invented.id]);

  // With a passkey of the forger in place of the real one.
  const own = createAuthenticator();
  const assertion = signed(own, invented);
  await forge('passkey', (owner) =>
    sql`insert into passkey (admin_id, credential_id, public_key, rp_id, name, seal)
      select admin_id, ${own.credentialId}, public_key, rp_id, name, seal from passkey where admin_id = ${id}`.execute(
      owner,
    ),
  );
  await forge('approval_signature', (owner) =>
    sql`update approval_signature set signature = ${Buffer.from(assertion.signature, 'base64url')},
        authenticator_data = ${Buffer.from(assertion.authenticatorData, 'base64url')},
        client_data = ${Buffer.from(assertion.clientDataJSON, 'base64url')},
        passkey_id = (select id from passkey where credential_id = ${own.credentialId})
      where approval_id = ${invented.id}`.execute(owner),
  );
  expect(await unsigned()).toEqual([invented.id]);

  await forge('approval', (owner) =>
    sql`update approval set state = 'void', decided_by = null, rule = null where id = ${invented.id}`.execute(owner),
  );
});

test('a signature that was deleted or changed afterwards is noticed', async () => {
  const { authenticator, token } = await addPasskey((await approver()).token);
  const asked = await request();
  expect((await approve(asked, token, signed(authenticator, asked))).status).toBe(200);
  await forge('approval', (owner) => sql`update approval set digest = 'another' where id = ${asked.id}`.execute(owner));
  expect(await unsigned()).toEqual([asked.id]);
  await forge('approval', (owner) =>
    sql`update approval set digest = ${asked.digest} where id = ${asked.id}`.execute(owner),
  );
  expect(await unsigned()).toEqual([]);
  await forge('approval_signature', (owner) =>
    sql`delete from approval_signature where approval_id = ${asked.id}`.execute(owner),
  );
  expect(await unsigned()).toEqual([asked.id]);
});
