import { moneyScopes, movesMoney, Scope } from 'contract/core/scopes.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openApiKeyUsage } from '#server/core/auth/api-key-usage.ts';
import { openLog } from '#server/core/log.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { decideOn } from '#server/core/testing/second.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment();
for (const username of ['ann', 'ben']) await addAdmin(db.database, { username, role: 'SuperAdmin' });
await addAdmin(db.database, { username: 'fay', permissionSet: 'Finance' });
await addAdmin(db.database, { username: 'odo', permissionSet: 'Auditor' });
const [ann, ben, fay, odo] = await Promise.all(['ann', 'ben', 'fay', 'odo'].map((name) => server.signIn(name)));

type Key = {
  id: string;
  state: string;
  requests: number;
  errors: number;
  lastUsedAt: string | null;
  secrets: { prefix: string; state: string; validUntil: string | null; waiting: { approval: string } | null }[];
};
type Created = { key: Key; secret: string };

const create = async (body: object = {}) => {
  const sent = { name: 'Main', scopes: ['users:write'], requestsPerMinute: 600, ...body };
  const { status, json } = await server.call('POST', '/api/integrations/keys', { token: ann, body: sent });
  expect(status).toBe(200);
  return json as Created;
};
const change = (address: string, body?: object, token = ann) =>
  server.call('POST', `/api/integrations/keys/${address}`, { token, body });
const read = async (id: string) => {
  const { json } = await server.call('GET', '/api/integrations/keys', { token: odo });
  return (json['keys'] as Key[]).find((key) => key.id === id);
};
const useKey = (secret: string) => server.call('GET', '/api/platform/key', { token: secret });
const approve = async ({ key }: Created, token = ben) => {
  const waiting = key.secrets[0]?.waiting?.approval ?? '';
  return decideOn(server, waiting, { token: token ?? '' });
};
const money = { scopes: ['deposits:write', 'users:write'] };

test('a key that moves no money works at once, and says what it may do', async () => {
  const { key, secret } = await create({ days: 30 });
  expect(key).toMatchObject({ state: 'active', secrets: [{ state: 'active', validUntil: null }] });
  expect(secret.startsWith(`${key.secrets[0]?.prefix}_`)).toBe(true);
  const { status, json } = await useKey(secret);
  expect([status, json]).toMatchObject([200, { name: 'Main', scopes: ['users:write'], requestsPerMinute: 600 }]);
});

test('a wrong, shortened or missing secret is refused with the same answer', async () => {
  const { secret } = await create();
  const wrong = `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;
  for (const sent of [wrong, secret.slice(0, -1), secret.slice(0, 20), 'bursar_', ann ?? '']) {
    const { status, json } = await useKey(sent);
    expect([status, json['code']]).toEqual([401, 'KeyRequired']);
  }
  expect((await server.call('GET', '/api/platform/key')).status).toBe(401);
});

test('an API key opens no call of the panel', async () => {
  const { secret } = await create();
  for (const path of ['/api/users', '/api/auth/me', '/api/integrations/keys']) {
    expect((await server.call('GET', path, { token: secret })).json['code']).toBe('SignInRequired');
  }
});

test('a key that moves money works after another SuperAdmin has approved its secret', async () => {
  const created = await create(money);
  expect(created.key).toMatchObject({ state: 'waiting', secrets: [{ state: 'waiting' }] });
  expect((await useKey(created.secret)).status).toBe(401);
  for (const [token, code] of [
    [ann, 'OwnRequest'],
    [fay, 'ApproverNotPermitted'],
  ]) {
    expect((await approve(created, token)).json['code']).toBe(code);
  }
  expect((await approve(created)).status).toBe(200);
  expect(await read(created.key.id)).toMatchObject({ state: 'active' });
  expect((await useKey(created.secret)).status).toBe(200);
});

test('a denied key never works and is shown as not approved', async () => {
  const { key, secret } = await create(money);
  await decideOn(server, key.secrets[0]?.waiting?.approval ?? '', { token: ben ?? '', decision: 'deny' });
  expect(await read(key.id)).toMatchObject({ state: 'unapproved' });
  expect((await useKey(secret)).status).toBe(401);
});

test('while a key is rotated, both secrets are valid for the chosen hours', async () => {
  const first = await create();
  const second = (await change(`${first.key.id}/rotate`, { hours: 24 })).json as Created;
  expect((await useKey(first.secret)).json['secretValidUntil']).not.toBeNull();
  expect((await useKey(second.secret)).json['secretValidUntil']).toBeNull();
  const third = (await change(`${first.key.id}/rotate`, { hours: 0 })).json as Created;
  expect(await Promise.all([first, second, third].map(async ({ secret }) => (await useKey(secret)).status))).toEqual([
    401, 401, 200,
  ]);
});

test('a rotated secret of a key that moves money waits too, and the current one stays valid until then', async () => {
  const first = await create(money);
  await approve(first);
  const second = (await change(`${first.key.id}/rotate`, { hours: 0 })).json as Created;
  expect((await change(`${first.key.id}/rotate`, { hours: 0 })).json['code']).toBe('RotationWaiting');
  expect([(await useKey(first.secret)).status, (await useKey(second.secret)).status]).toEqual([200, 401]);
  await approve(second);
  expect([(await useKey(first.secret)).status, (await useKey(second.secret)).status]).toEqual([401, 200]);
});

test('a revoked key is refused from then on, its request is void, and it stays revoked', async () => {
  const created = await create(money);
  const stream = await openStream(server.address, { authorization: `Bearer ${ben}` });
  expect((await change(`${created.key.id}/revoke`)).json['key']).toMatchObject({ state: 'revoked' });
  await stream.heard({ feature: 'approvals' });
  await stream.heard({ feature: 'integrations', id: created.key.id });
  expect((await approve(created)).status).toBe(409);
  expect((await change(`${created.key.id}/revoke`)).json['code']).toBe('KeyRevoked');
  expect((await change(`${created.key.id}/rotate`, { hours: 0 })).json['code']).toBe('KeyRevoked');
  await stream.close();
});

test('an expired key is refused', async () => {
  const { key, secret } = await create({ days: 1 });
  await sql`update api_key set expires_at = now() where id = ${key.id}::uuid`.execute(db.owner);
  expect((await useKey(secret)).status).toBe(401);
  expect(await read(key.id)).toMatchObject({ state: 'expired' });
  expect((await change(`${key.id}/rotate`, { hours: 0 })).json['code']).toBe('KeyExpired');
});

test('only SuperAdmins create, rotate and revoke keys; auditors see them without secrets', async () => {
  const { key, secret } = await create();
  const sent = { name: 'Mine', scopes: ['users:write'], requestsPerMinute: 1 };
  expect((await server.call('POST', '/api/integrations/keys', { token: fay, body: sent })).status).toBe(403);
  expect((await change(`${key.id}/rotate`, { hours: 0 }, fay)).status).toBe(403);
  expect((await change(`${key.id}/revoke`, undefined, fay)).status).toBe(403);
  expect((await server.call('GET', '/api/integrations/keys', { token: fay })).status).toBe(403);
  const { text } = await server.call('GET', '/api/integrations/keys', { token: odo });
  expect(text).not.toContain(secret);
});

test('requests above the limit of a key are refused over all processes, and other keys are not affected', async () => {
  const { secret } = await create({ requestsPerMinute: 5 });
  const other = await create({ requestsPerMinute: 5 });
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await useKey(secret)).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
  const refused = await useKey(secret);
  expect([refused.status, refused.json['code']]).toEqual([429, 'TooManyRequests']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await useKey(other.secret)).status).toBe(200);
});

test('the use of a key is counted by hour, added up over processes', async () => {
  const { key } = await create();
  const secretId = (
    await db.owner.selectFrom('apiKeySecret').select('id').where('apiKeyId', '=', key.id).executeTakeFirstOrThrow()
  ).id;
  const now = new Date();
  for (const failed of [false, true]) {
    const usage = openApiKeyUsage({ database: db.database, pool: db.pool, log: openLog('silent') });
    for (let n = 0; n < 3; n += 1) usage.count(secretId, { failed, now });
    await usage.stop();
  }
  expect(await read(key.id)).toMatchObject({ requests: 6, errors: 3, lastUsedAt: now.toISOString() });
  const { json } = await server.call('GET', `/api/integrations/keys/${key.id}/usage`, { token: odo });
  expect(json['hours']).toMatchObject([{ requests: 6, errors: 3 }]);
});

test('every change of a key is an audit row without the secret', async () => {
  const { key, secret } = await create();
  const rotated = (await change(`${key.id}/rotate`, { hours: 1 })).json as Created;
  await change(`${key.id}/revoke`);
  const entries = db.owner.selectFrom('auditEntry').select(['action', 'details']).where('subjectId', '=', key.id);
  const rows = await entries.orderBy('seq').execute();
  expect(rows.map(({ action }) => action)).toEqual([
    'integrations.create-key',
    'integrations.rotate-key',
    'integrations.revoke-key',
  ]);
  for (const text of [secret, rotated.secret]) expect(JSON.stringify(rows)).not.toContain(text);
});

test('the database refuses a secret that moves money without a decision, another hash and a longer life', async () => {
  const { key } = await create(money);
  const statements = [
    sql`update api_key_secret set approved_at = now() where api_key_id = ${key.id}::uuid`,
    sql`insert into api_key_secret (api_key_id, prefix, hash, created_by, approved_at)
      select id, 'bursar_forged', '\\x00', created_by, now() from api_key where id = ${key.id}::uuid`,
    sql`update api_key_secret set hash = '\\x00' where api_key_id = ${key.id}::uuid`,
    sql`update api_key set scopes = '{deposits:write}' where id = ${key.id}::uuid`,
  ];
  for (const statement of statements) {
    await expect(statement.execute(db.database)).rejects.toThrow(/NotDecided|can only be approved|permission denied/);
  }
});

test('the database and the contract name the same scopes that move money', async () => {
  for (const scope of Scope.options) {
    const { rows } = await sql<{ moves: boolean }>`select moves_money(array[${scope}]) as moves`.execute(db.owner);
    expect([scope, rows[0]?.moves]).toEqual([scope, movesMoney([scope])]);
  }
  expect(moneyScopes.length).toBeGreaterThan(0);
});
