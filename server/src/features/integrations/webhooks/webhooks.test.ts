import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openSecret } from '#server/core/sealed-secret.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { startReceiver } from '#server/core/testing/receiver.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { openStream } from '#server/core/testing/stream.ts';
import { webhooksOf } from '#server/core/testing/webhooks.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');
const { secret: apiKey } = await addApiKey(db.owner, { scopes: ['events:read'] });

type Hook = { id: string; url: string; state: string; version: number };
const path = '/api/integrations/webhooks';
const post = (address: string, body?: object, as = token) =>
  server.call('POST', `${path}${address}`, { token: as, body });
const fields = { url: 'https://8.8.8.8/hook', description: 'Platform', types: null };
const create = async (changes: object = {}) => {
  const { status, json } = await post('', { ...fields, ...changes });
  return { status, json, webhook: json['webhook'] as Hook, secret: json['secret'] as string };
};
const listed = async () => (await server.call('GET', path, { token })).json['webhooks'] as Hook[];
const acts = (id: string) =>
  db.owner.selectFrom('auditEntry').select(['action', 'details']).where('subjectId', '=', id).orderBy('seq').execute();

test('the secret is answered once, stored encrypted, and is in no list, audit row or other answer', async () => {
  const stream = await openStream(server.address, { authorization: `Bearer ${token}` });
  const { webhook, secret } = await create({ types: ['payment.made'] });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook).toMatchObject({ ...fields, types: ['payment.made'], state: 'active', createdBy: 'root', pending: 0 });
  await stream.heard({ feature: 'integrations', id: webhook.id });
  await stream.close();
  expect(JSON.stringify([await listed(), await acts(webhook.id)])).not.toContain(secret);
  const { rows } = await sql<{ id: string; sealed: Buffer }>`
    select id, sealed from webhook_secret where endpoint_id = ${webhook.id}`.execute(db.owner);
  expect(rows).toHaveLength(1);
  const [{ id, sealed } = { id: '', sealed: Buffer.of() }] = rows;
  expect(sealed.includes(secret)).toBe(false);
  expect(openSecret(db.config.secretsKey, { table: 'webhook_secret', id, column: 'sealed' }, sealed)).toBe(secret);
});

test('every change of a webhook is audited, and a change of an older version is refused', async () => {
  const { webhook } = await create();
  const { id, version } = webhook;
  const change = (body: object) =>
    server.call('PATCH', `${path}/${id}`, { token, body: { ...fields, version, ...body } });
  expect((await change({ description: 'Other' })).json).toMatchObject({
    webhook: { description: 'Other', version: version + 1 },
  });
  expect((await change({ description: 'Third' })).json).toMatchObject({ code: 'WebhookConflict' });
  for (const state of ['paused', 'paused', 'active']) expect((await post(`/${id}/state`, { state })).status).toBe(200);
  await post(`/${id}/rotate`);
  await post(`/${id}/test`);
  await post(`/${id}/replay`, { from: { seq: '1' } });
  expect((await post(`/${id}/remove`)).status).toBe(200);
  expect((await acts(id)).map(({ action }) => action)).toEqual([
    'integrations.create-webhook',
    'integrations.update-webhook',
    'integrations.pause-webhook',
    'integrations.resume-webhook',
    'integrations.rotate-secret',
    'integrations.test-webhook',
    'integrations.replay-webhook',
    'integrations.remove-webhook',
  ]);
  expect((await listed()).map((one) => one.id)).not.toContain(id);
  const gone = [await post(`/${id}/test`), await post(`/${id}/state`, { state: 'active' }), await change({})];
  for (const { status, json } of gone) expect([status, json['code']]).toEqual([404, 'WebhookNotFound']);
});

test.each([
  [{ url: 'http://8.8.8.8/' }, 422, 'WebhookNotHttps'],
  [{ url: 'https://127.0.0.1/' }, 422, 'WebhookTargetPrivate'],
  [{ url: 'https://localhost/' }, 422, 'WebhookTargetPrivate'],
  [{ url: 'https://a:b@8.8.8.8/' }, 422, 'WebhookHasCredentials'],
  [{ url: 'no url' }, 400, 'InvalidRequest'],
  [{ url: 'https://[fe80::1%25eth0]/' }, 400, 'InvalidRequest'],
  [{ types: ['unknown'] }, 400, 'InvalidRequest'],
  [{ types: [] }, 400, 'InvalidRequest'],
  [{ secret: 'mine' }, 400, 'InvalidRequest'],
])('a webhook with %j is refused, and so is the change to it', async (wrong, status, code) => {
  expect(await create(wrong)).toMatchObject({ status, json: { code } });
  const { webhook } = await create();
  const body = { ...fields, version: webhook.version, ...wrong };
  expect(await server.call('PATCH', `${path}/${webhook.id}`, { token, body })).toMatchObject({
    status,
    json: { code },
  });
  await post(`/${webhook.id}/remove`);
});

test('there are at most twenty webhooks, also when they are added concurrently', async () => {
  for (const { id } of await listed()) await post(`/${id}/remove`);
  const answers = await Promise.all(Array.from({ length: 22 }, () => create()));
  expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual([...Array(20).fill('200'), '409', '409']);
  for (const { id } of await listed()) await post(`/${id}/remove`);
});

test.each([
  [undefined, 403, 403],
  ['Support', 403, 403],
  ['Finance', 403, 403],
  ['Auditor', 200, 403],
] as const)('an Admin with %s gets %i for reading and %i for writing', async (permissionSet, reading, writing) => {
  const { webhook } = await create();
  const { username } = await addAdmin(db.database, {
    username: `only.${permissionSet ?? 'none'}`,
    ...(permissionSet && { permissionSet }),
  });
  const theirs = await server.signIn(username);
  for (const address of ['', '/paused', `/${webhook.id}/deliveries`])
    expect((await server.call('GET', `${path}${address}`, { token: theirs })).status).toBe(reading);
  const written = [
    await post('', fields, theirs),
    await post(`/${webhook.id}/state`, { state: 'paused' }, theirs),
    await post(`/${webhook.id}/rotate`, undefined, theirs),
    await post(`/${webhook.id}/remove`, undefined, theirs),
  ];
  expect(written.map(({ status }) => status)).toEqual(Array(4).fill(writing));
});

test('a test event is sent only to the webhook that it names, and is not replayed', async () => {
  const receiver = await startReceiver();
  const { work } = webhooksOf(db, db.config);
  const [one, other] = [await create({ types: ['payment.made'] }), await create()];
  await sql`update webhook_endpoint set url = ${receiver.url}`.execute(db.owner);
  expect((await post(`/${one.webhook.id}/test`)).status).toBe(200);
  await work();
  expect(receiver.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { type: 'webhook.test', data: { webhookId: one.webhook.id } },
  ]);
  await post(`/${one.webhook.id}/replay`, { from: { seq: '0' } });
  await work();
  expect(receiver.received.filter(({ body }) => body.includes('webhook.test'))).toHaveLength(1);
  await post(`/${one.webhook.id}/remove`);
  await post(`/${other.webhook.id}/remove`);
});

test('the cursor reads the same events page by page to the end', async () => {
  const read = async (query: string) =>
    (await server.call('GET', `/api/platform/events${query}`, { token: apiKey })).json;
  const { webhook } = await create();
  for (let round = 0; round < 5; round += 1) await post(`/${webhook.id}/test`);
  const all = (await read('')) as { events: { seq: string }[]; oldest: string };
  expect(all.oldest).toBe(all.events[0]?.seq);
  const pages: string[] = [];
  let cursor = '0';
  for (;;) {
    const page = (await read(`?after=${cursor}&limit=2`)) as {
      events: { seq: string }[];
      cursor: string;
      hasMore: boolean;
    };
    pages.push(...page.events.map(({ seq }) => seq));
    cursor = page.cursor;
    if (!page.hasMore) break;
  }
  expect(pages).toEqual(all.events.map(({ seq }) => seq));
  expect(await read(`?after=${cursor}`)).toMatchObject({ events: [], cursor, hasMore: false });
  for (const wrong of ['-1', '01', 'x', '9'.repeat(19)])
    expect((await server.call('GET', `/api/platform/events?after=${wrong}`, { token: apiKey })).status).toBe(400);
});

test('events are read with the scope for it only', async () => {
  const { secret: without } = await addApiKey(db.owner, { scopes: ['users:write'] });
  for (const [caller, status, code] of [
    [without, 403, 'ScopeMissing'],
    [token, 401, 'KeyRequired'],
    [undefined, 401, 'KeyRequired'],
  ] as const) {
    const answer = await server.call('GET', '/api/platform/events', { token: caller });
    expect([answer.status, answer.json['code']]).toEqual([status, code]);
  }
});
