import { retryDelays } from 'contract/integrations-webhooks.ts';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, test } from 'vitest';
import { startReceiver } from '#server/core/testing/receiver.ts';
import { contentOf, numbersOf, refusing, webhookEnvironment } from '#server/core/testing/webhooks.ts';

const { db, server, token, post, get, addWebhook, readWebhook, deliveries, record, wait, removeAll, dispatch, work } =
  await webhookEnvironment();
beforeEach(removeAll);

test('an event is sent with a signature that the library verifies, and with the event as its body', async () => {
  const receiver = await startReceiver();
  const { id, secret } = await addWebhook(receiver.url);
  await record('mira', 1);
  await work();
  const [message] = receiver.received;
  const verified = new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {});
  expect(verified).toEqual({
    id: message?.headers['webhook-id'],
    seq: expect.stringMatching(/^\d+$/),
    type: 'user.blacklisted',
    subjectId: 'mira',
    timestamp: expect.stringMatching(/Z$/),
    data: expect.objectContaining({ username: 'mira', isBlacklisted: true }),
  });
  expect(() => new Webhook(secret).verify(`${message?.body} `, message?.headers ?? {})).toThrow(
    'No matching signature found',
  );
  expect(await deliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1, lastStatus: 204, dueAt: null }]);
});

test('an event that was inserted into the database is not sent, and the next one of its subject is', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  await record('mira', 1);
  await work();
  // What a stolen login of the API can send: a genuine seal with other content.
  await sql`
    insert into platform_event (type, subject_id, data, seal)
    select type, subject_id, data || '{"userId": "99"}', seal from platform_event
    where subject_id = 'mira' order by seq desc limit 1`.execute(db.database);
  await record('mira', 2);
  await work();
  expect(numbersOf(receiver.received, 'mira')).toEqual(['1', '2']);
  expect((await deliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'failed', 'delivered']);
});

test('a webhook receives its types only, and nothing from before it was added', async () => {
  await record('mira', 1);
  const receiver = await startReceiver();
  await addWebhook(receiver.url, ['maintenance.changed']);
  await record('mira', 2);
  await server.call('POST', '/api/maintenance', { token, body: { active: true } });
  await work();
  expect(receiver.received.map((message) => contentOf(message).type)).toEqual(['maintenance.changed']);
  await server.call('POST', '/api/maintenance', { token, body: { active: false } });
});

test('a webhook that another process has locked is looked at again soon', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  await work();
  await record('mira', 1);
  await db.owner.transaction().execute(async (tx) => {
    await sql`select from webhook_endpoint where id = ${id}::uuid for update`.execute(tx);
    expect(await dispatch()).toBe('waiting');
  });
  await work();
  expect(receiver.received.length).toBe(1);
  expect(await dispatch()).toBe('idle');
});

test('events of a subject arrive in order although the first one fails, and other subjects do not wait', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  let isBroken = true;
  receiver.respond = (response, message) =>
    isBroken && contentOf(message).subjectId === 'mira' ? refusing(response) : response.writeHead(200).end();
  for (const no of [1, 2, 3]) {
    await record('mira', no);
    await record('noor', no);
  }
  await work();
  expect(numbersOf(receiver.received, 'mira')).toEqual(['1']);
  expect(numbersOf(receiver.received, 'noor')).toEqual(['1', '2', '3']);
  expect((await readWebhook(id))?.pending).toBe(3);
  await wait(5);
  await work();
  expect(numbersOf(receiver.received, 'mira')).toEqual(['1', '1']);
  isBroken = false;
  await wait(30);
  await work();
  expect(numbersOf(receiver.received, 'mira')).toEqual(['1', '1', '1', '2', '3']);
  const ids = receiver.received
    .filter((message) => contentOf(message).data.userId === '1')
    .map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(2);
});

test('a delivery is tried again after each delay, then it has failed, and the next event of the subject is sent', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  receiver.respond = (response, message) =>
    contentOf(message).data.userId === '1' ? refusing(response) : response.writeHead(200).end();
  await record('mira', 1);
  await record('mira', 2);
  await work();
  for (const [index, delay] of retryDelays.entries()) {
    expect(numbersOf(receiver.received, 'mira')).toHaveLength(index + 1);
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from due_at - now())::float as seconds from webhook_delivery where endpoint_id = ${id} and due_at is not null`.execute(
      db.owner,
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.seconds).toBeGreaterThan(delay - 5);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(delay);
    await work();
    expect(numbersOf(receiver.received, 'mira')).toHaveLength(index + 1);
    await wait(delay);
    await work();
  }
  expect(numbersOf(receiver.received, 'mira')).toEqual([...Array(retryDelays.length + 1).fill('1'), '2']);
  const [failed] = await deliveries(id, '?state=failed');
  expect(failed).toMatchObject({ attempts: retryDelays.length + 1, lastStatus: 500, lastError: 'status' });
  expect(await readWebhook(id)).toMatchObject({ pending: 0, failed: 1, state: 'active' });

  receiver.respond = (response) => response.writeHead(200).end();
  expect((await post(`/deliveries/${failed?.id}/retry`)).json).toMatchObject({
    delivery: { state: 'pending', attempts: 0 },
  });
  await work();
  expect(numbersOf(receiver.received, 'mira').at(-1)).toBe('1');
  expect(await readWebhook(id)).toMatchObject({ pending: 0, failed: 0 });
});

test('the log has the request and the answer of every attempt', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  receiver.respond = refusing;
  await record('mira', 1);
  await work();
  receiver.respond = (response) => response.writeHead(202).end('queued');
  await wait(5);
  await work();
  const [delivery] = await deliveries(id);
  const read = await get(`/deliveries/${delivery?.id}`);
  expect(read).toMatchObject({
    event: { type: 'user.blacklisted', subjectId: 'mira' },
    attempts: [
      { no: 2, status: 202, answer: 'queued', error: null },
      { no: 1, status: 500, answer: 'broken', error: 'status', bodyDigest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ],
  });
  const [last] = read['attempts'] as { requestHeaders: Record<string, string> }[];
  expect(last?.requestHeaders).toMatchObject({ 'webhook-signature': expect.stringMatching(/^v1,/) });
});
