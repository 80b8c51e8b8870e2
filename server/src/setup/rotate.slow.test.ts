import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { seal } from '#server/core/keys.ts';
import { openSecret, sealSecret } from '#server/core/sealed-secret.ts';
import { insertIdentity } from '#server/core/auth/sso/queries.ts';
import { createAuthenticator } from '#server/core/testing/authenticator.ts';
import { codeOf, readKey } from '#server/core/testing/authenticator-app.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { startProgram, runCommand } from '#server/core/testing/process.ts';
import { testVariables } from '#server/core/testing/config.ts';
import { addAdmin, testPassword, testServer } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { addUser } from '#server/core/testing/user.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());

const oldKey = db.config.secretsKey;
const newKey = randomBytes(32);
const rotating = {
  BURSAR_SECRETS_KEY: newKey.toString('base64'),
  BURSAR_SECRETS_KEY_PREVIOUS: oldKey.toString('base64'),
};
const rotated = { BURSAR_SECRETS_KEY: rotating.BURSAR_SECRETS_KEY };
const users = 700;

const userPlace = (id: string) => ({ table: 'user_secret', id, column: 'sol_private_key' }) as const;
const webhookPlace = (id: string) => ({ table: 'webhook_secret', id, column: 'sealed' }) as const;

/** Stores secrets under the old key. More users than a batch has. */
async function fill() {
  const { id: adminId } = await addAdmin(db.database, { username: 'ann', role: 'SuperAdmin' });
  await addAdmin(db.database, { username: 'ben', role: 'SuperAdmin' });
  const { secret } = await addApiKey(db.owner, { scopes: ['users:write'] });
  const { rows } = await sql<{ id: string }>`
    insert into platform_user (user_id, username, wallet, sol_wallet_address, referral_code)
    select 'R-' || n, 'user' || n, '', '', 'R' || n from generate_series(1, ${users}) as n returning id`.execute(
    db.owner,
  );
  const ids = rows.map(({ id }) => id);
  const webhookId = randomUUID();
  await db.owner.transaction().execute(async (tx) => {
    const secrets = ids.map((userId) => ({ userId, solPrivateKey: seal(userPlace(userId), `key of ${userId}`) }));
    await tx.insertInto('userSecret').values(secrets).execute();
    const endpoint = { url: 'https://example.com', description: '', createdBy: adminId, dispatchedSeq: 0n };
    const { id: endpointId } = await tx
      .insertInto('webhookEndpoint')
      .values(endpoint)
      .returning('id')
      .executeTakeFirstOrThrow();
    const sealed = seal(webhookPlace(webhookId), 'whsec_of_the_webhook');
    await tx.insertInto('webhookSecret').values({ id: webhookId, endpointId, sealed }).execute();
  });
  return { secret, webhookId };
}

const { secret, webhookId } = await fill();

async function countUnderOldKey() {
  const { rows } = await sql<{ userId: string; sealed: Buffer }>`
    select user_id as "userId", sol_private_key as sealed from user_secret where sol_private_key is not null`.execute(
    db.owner,
  );
  return rows.filter(({ userId, sealed }) => opens(oldKey, userId, sealed)).length;
}

function opens(key: Buffer, userId: string, sealed: Buffer) {
  try {
    return openSecret(key, userPlace(userId), sealed) === `key of ${userId}`;
  } catch {
    return false;
  }
}

const signIn = async (server: Awaited<ReturnType<typeof testServer>>, username: string) =>
  (await server.call('POST', '/api/admin/login', { body: { username, password: testPassword } })).status;

/** Adds an administrator with an app, recovery codes, a passkey and an identity of single sign-on. */
async function addFactors(server: Awaited<ReturnType<typeof testServer>>) {
  const { id } = await addAdmin(db.database, { username: 'cara' });
  const call = async (path: string, token: string, body?: object) => {
    const answer = await server.call('POST', path, { token, body });
    expect(answer.status, answer.text).toBe(200);
    return answer.json as { token: string; secret: string; challenge: string; recoveryCodes: string[] };
  };
  const started = await server.signIn('cara');
  const key = readKey((await call('/api/security/app/start', started)).secret);
  const { token, recoveryCodes } = await call('/api/security/app/confirm', started, { code: codeOf(key, 0) });
  const authenticator = createAuthenticator();
  const { challenge } = await call('/api/security/passkeys/challenge', token);
  await call('/api/security/passkeys', token, { name: 'Laptop', ...authenticator.register(challenge) });
  const identity = { issuer: 'https://id.example', subject: 'subject-cara' };
  await db.database.transaction().execute((tx) => insertIdentity(tx, id, identity));
  const withCode = async (on: typeof server, code: string) =>
    (await on.call('POST', '/api/admin/login', { body: { username: 'cara', password: testPassword, code } })).status;
  return {
    withRecoveryCode: (on: typeof server) => withCode(on, recoveryCodes.pop() ?? ''),
    withApp: (on: typeof server) => withCode(on, codeOf(key, 1)),
    withPasskey: async (on: typeof server) => {
      const { json } = await on.call('POST', '/api/admin/login/passkey/challenge');
      const assertion = authenticator.sign(String(json['challenge']));
      return (await on.call('POST', '/api/admin/login/passkey', { body: { assertion } })).status;
    },
  };
}

test('a key is rotated while the API runs, killed in the middle and resumed; then the new key alone opens everything', async () => {
  const before = await testServer(db.url);
  const session = await before.signIn('ann');
  const cara = await addFactors(before);
  await before[Symbol.asyncDispose]();

  const during = await testServer(db.url, rotating);
  const me = async (server: typeof during) => (await server.call('GET', '/api/auth/me', { token: session })).status;
  const useKey = async (server: typeof during) =>
    (await server.call('GET', '/api/platform/key', { token: secret })).status;
  expect([await signIn(during, 'ann'), await me(during), await useKey(during)]).toEqual([200, 200, 200]);
  expect([await cara.withRecoveryCode(during), await cara.withPasskey(during)]).toEqual([200, 200]);

  // The rotation waits for this row, after it has rotated the tables before.
  await db.owner.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    await sql`select from webhook_secret where id = ${webhookId} for update`.execute(tx);
    const environment = testVariables(db.url, rotating);
    const killed = startProgram({ program: 'cli.ts', args: ['secrets', 'rotate'], environment });
    await eventually(() => killed.said.stdout.includes('private keys of users'), 60_000);
    expect([await signIn(during, 'ann'), await signIn(during, 'ben'), await useKey(during)]).toEqual([200, 200, 200]);
    await killed.kill();
  });
  const [forgotten] = (await sql<{ id: string }>`select user_id as id from user_secret limit 1`.execute(db.owner)).rows;
  const sealedByOldProgram = sealSecret(oldKey, userPlace(forgotten?.id ?? ''), `key of ${forgotten?.id}`);
  await sql`update user_secret set sol_private_key = ${sealedByOldProgram} where user_id = ${forgotten?.id}`.execute(
    db.owner,
  );
  expect(await countUnderOldKey()).toBe(1);

  const resumed = await runCommand(db.url, ['secrets', 'rotate'], { changes: rotating });
  expect(resumed).toMatchObject({ code: 0, stderr: '' });
  expect(resumed.stdout).toContain('private keys of users: 1 renewed with the new key\n');
  expect(resumed.stdout).toContain('secrets of webhooks: 1 renewed with the new key\n');
  expect(await countUnderOldKey()).toBe(0);
  expect([await signIn(during, 'ben'), await me(during), await useKey(during)]).toEqual([200, 200, 200]);
  for (const kind of ['passkeys: 1', 'identities of single sign-on: 1']) {
    expect(resumed.stdout).toContain(`${kind} renewed with the new key\n`);
  }
  await during[Symbol.asyncDispose]();

  await using after = await testServer(db.url, rotated);
  expect([await signIn(after, 'ann'), await signIn(after, 'ben'), await useKey(after)]).toEqual([200, 200, 200]);
  expect(await me(after)).toBe(401);
  expect([await cara.withRecoveryCode(after), await cara.withPasskey(after), await cara.withApp(after)]).toEqual([
    200, 200, 200,
  ]);
  const { rows } = await sql<{ sealed: Buffer }>`select sealed from webhook_secret`.execute(db.owner);
  expect(rows.map(({ sealed }) => openSecret(newKey, webhookPlace(webhookId), sealed))).toEqual([
    'whsec_of_the_webhook',
  ]);
  const actions = db.owner.selectFrom('auditEntry').select(['action', 'details']).where('action', 'like', 'secrets.%');
  const recorded = await actions.orderBy('seq').execute();
  expect(recorded.map(({ action }) => action)).toEqual([
    'secrets.start-rotation',
    'secrets.start-rotation',
    'secrets.finish-rotation',
  ]);
  expect(JSON.parse(recorded.at(-1)?.details ?? '')).toMatchObject({ resealed: { user_secret: 1, webhook_secret: 1 } });
}, 180_000);

test('a value that neither key opens is named and stays, and the rest is rotated', async () => {
  const { id } = await addUser(db.database, { username: 'odd' });
  const foreign = sealSecret(randomBytes(32), userPlace(id), 'of another installation');
  await sql`insert into user_secret (user_id, sol_private_key) values (${id}, ${foreign})`.execute(db.owner);
  const answer = await runCommand(db.url, ['secrets', 'rotate'], { changes: rotating });
  expect(answer.code).toBe(1);
  expect(answer.stdout).toContain(`private keys of users: neither key opens user_secret ${id}\n`);
  expect(answer.stderr).toMatch(/^1 values open with neither key/);
}, 60_000);

test('without the previous key, nothing is rotated and the command says what to do', async () => {
  const answer = await runCommand(db.url, ['secrets', 'rotate'], { changes: rotated });
  expect(answer).toMatchObject({ code: 1, stdout: '' });
  expect(answer.stderr).toMatch(/^Set BURSAR_SECRETS_KEY_PREVIOUS to the current BURSAR_SECRETS_KEY/);
}, 30_000);
