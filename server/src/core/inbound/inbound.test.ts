import { randomUUID } from 'node:crypto';
import { inboundLimits } from 'contract/core/inbound.ts';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes, platformOf, userItem } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.owner, { username: 'ann' });
const { secret } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
const { call, send } = platformOf(server, secret);

const kinds = [
  ['users', 'users:write'],
  ['deposits', 'deposits:write'],
  ['stakes', 'stakes:write'],
  ['withdrawals', 'withdrawals:write'],
  ['stakes/end', 'stakes:write'],
  ['tickets', 'tickets:write'],
  ['ticket-messages', 'tickets:write'],
  ['task-submissions', 'tasks:write'],
  ['activity', 'activity:write'],
] as const;

/** Whatever the kind, a wrong item would be refused before it is looked at. */
const anything = [{ id: 'x' }];

test.each(kinds)('%s need a key with the scope %s', async (path, scope) => {
  const others = inboundScopes.filter((other) => other !== scope);
  const { secret: without } = await addApiKey(db.owner, { scopes: others });
  const { status, json } = await platformOf(server, without).call(path, anything);
  expect([status, json['code']]).toEqual([403, 'ScopeMissing']);
  expect((await platformOf(server, `${without}x`).call(path, anything)).status).toBe(401);
  const administrator = await server.signIn('ann');
  expect((await platformOf(server, administrator).call(path, anything)).status).toBe(401);
});

test('a revoked key is refused', async () => {
  const { id, secret: revoked } = await addApiKey(db.owner, { scopes: ['users:write'] });
  expect(await platformOf(server, revoked).send('users', userItem())).toEqual(['stored']);
  await sql`update api_key set revoked_at = now(), revoked_by = created_by where id = ${id}::uuid`.execute(db.owner);
  const { status, json } = await platformOf(server, revoked).call('users', [userItem()]);
  expect([status, json['code']]).toEqual([401, 'KeyRequired']);
});

test('a key that has used up its requests of the minute waits', async () => {
  const { secret: slow } = await addApiKey(db.owner, { scopes: ['users:write'], requestsPerMinute: 1 });
  expect(await platformOf(server, slow).send('users', userItem())).toEqual(['stored']);
  const { status, headers } = await platformOf(server, slow).call('users', [userItem()]);
  expect(status).toBe(429);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
});

test.each(kinds.map(([path]) => path))('%s have 1 to 1,000 items and no unknown fields', async (path) => {
  expect((await call(path, [])).status).toBe(400);
  expect(
    (
      await call(
        path,
        Array.from({ length: 1_001 }, () => ({ id: randomUUID() })),
      )
    ).status,
  ).toBe(400);
  const { status, json } = await call(path, [{ ...userItem(), unknown: true }]);
  expect(status).toBe(400);
  expect(json['detail']).toContain('not known');
});

test.each(kinds.map(([path]) => path))('%s can have 2 MB, other calls 64 KB', async (path) => {
  const bodyOf = (bytes: number) => {
    const body = JSON.stringify({ items: anything });
    return body + ' '.repeat(bytes - body.length);
  };
  const post = (url: string, bytes: number) => server.call('POST', url, { token: secret, body: bodyOf(bytes) });
  expect((await post(`/api/platform/${path}`, inboundLimits.bytes)).status).toBe(400);
  expect((await post(`/api/platform/${path}`, inboundLimits.bytes + 1)).status).toBe(413);
  expect((await post('/api/admin/login', 64 * 1024 + 1)).status).toBe(413);
});

test('a thousand items are one call', async () => {
  const outcomes = await send('users', ...Array.from({ length: 1_000 }, () => userItem()));
  expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1_000);
});

test.each(kinds.map(([path]) => path))(
  '%s are refused during maintenance, until the end of the window',
  async (path) => {
    await sql`update maintenance set active = true, ends_at = now() + interval '30 minutes', changed_at = now(),
      changed_by = (select id from admin limit 1)`.execute(db.owner);
    const items = { users: userItem() } as Record<string, object>;
    const at = { at: '2026-01-05T10:00:00Z' };
    items['deposits'] = { id: 'm', user: 'x', asset: 'USD', amount: '1', ...at };
    items['withdrawals'] = { ...items['deposits'], wallet: 'x' };
    items['stakes/end'] = { id: 'm', endedAt: at.at };
    items['tickets'] = { id: 'm', user: 'x', type: 'x', description: 'x', ...at };
    items['ticket-messages'] = { id: 'm', ticket: 'x', message: 'x', ...at };
    items['task-submissions'] = {
      id: 'm',
      user: 'x',
      postUrl: 'x',
      title: 'x',
      reward: '1',
      deadline: '2026-12-31',
      ...at,
    };
    items['activity'] = { id: 'm', user: 'x', type: 'Login', ...at };
    items['stakes'] = { id: 'm', user: 'x', amount: '1', days: 30, placedAt: at.at };
    const { status, headers, json } = await call(path, [items[path] ?? {}]);
    expect([status, json['code']]).toEqual([503, 'UnderMaintenance']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(1_700);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(1_800);
    await sql`update maintenance set active = false, ends_at = null`.execute(db.owner);
    expect((await call(path, [items[path] ?? {}])).status).toBe(200);
  },
);
