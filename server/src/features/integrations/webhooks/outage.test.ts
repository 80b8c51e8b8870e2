import type { ServerResponse } from 'node:http';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { beforeEach, expect, test } from 'vitest';
import { startReceiver } from '#server/core/testing/receiver.ts';
import { numbersOf, refusing, webhookEnvironment } from '#server/core/testing/webhooks.ts';
import { webhookJobs } from './jobs.ts';

const { db, post, get, addWebhook, readWebhook, deliveries, record, wait, failFor, removeAll, work, dispatch, send } =
  await webhookEnvironment();
beforeEach(removeAll);

test('a webhook that receives nothing for a day is paused, and continues where it stopped when it is resumed', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  receiver.respond = refusing;
  await record('mira', 1);
  await work();
  const pause = () => webhookJobs[0]?.run(db.worker);
  await failFor(23);
  await pause();
  expect(await readWebhook(id)).toMatchObject({ state: 'active' });
  await failFor(2);
  await pause();
  expect(await readWebhook(id)).toMatchObject({ state: 'paused', pausedReason: 'failing' });
  expect(await get('/webhooks/paused')).toEqual({ webhooks: [{ id, url: receiver.url }] });
  const audited = db.owner.selectFrom('auditEntry').select('actorId').where('subjectId', '=', id);
  expect(await audited.where('action', '=', 'integrations.pause-failing').execute()).toEqual([{ actorId: null }]);

  await record('mira', 2);
  await wait(3_600);
  await work();
  expect(receiver.received).toHaveLength(1);
  expect((await post(`/webhooks/${id}/test`)).json).toMatchObject({ code: 'WebhookPaused' });

  receiver.respond = (response) => response.writeHead(200).end();
  expect((await post(`/webhooks/${id}/state`, { state: 'active' })).json).toMatchObject({
    webhook: { state: 'active', failingSince: null },
  });
  await work();
  expect(numbersOf(receiver.received, 'mira')).toEqual(['1', '1', '2']);
  expect(await get('/webhooks/paused')).toEqual({ webhooks: [] });
});

test('a successful delivery resets the day after which a failing webhook is paused', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  receiver.respond = refusing;
  await record('mira', 1);
  await work();
  await failFor(25);
  receiver.respond = (response) => response.writeHead(200).end();
  await wait(5);
  await work();
  await webhookJobs[0]?.run(db.worker);
  expect(await readWebhook(id)).toMatchObject({ state: 'active', failingSince: null });
});

test('a replay sends all events from one on once more, in order and under the same ids', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  for (const no of [1, 2, 3, 4]) await record('mira', no);
  await work();
  const second = (await deliveries(id)).at(-2);
  expect((await post(`/webhooks/${id}/replay`, { from: { seq: second?.seq } })).json).toEqual({ from: second?.seq });
  await record('mira', 5);
  await work();
  expect(numbersOf(receiver.received, 'mira')).toEqual(['1', '2', '3', '4', '2', '3', '4', '5']);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids.slice(4, 7)).toEqual(ids.slice(1, 4));
});

test('a replay during an outage does not change the order, and a replay from a time finds the first event after it', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  const start = new Date().toISOString();
  for (const no of [1, 2]) await record('mira', no);
  await work();
  receiver.respond = refusing;
  await record('mira', 3);
  await work();
  const { status } = await post(`/webhooks/${id}/replay`, { from: { time: start } });
  expect(status).toBe(200);
  receiver.respond = (response) => response.writeHead(200).end();
  await wait(60);
  await send(id);
  expect(receiver.received).toHaveLength(3);
  await work();
  expect(numbersOf(receiver.received, 'mira')).toEqual(['1', '2', '3', '1', '2', '3']);
  const future = new Date(Date.now() + 60_000).toISOString();
  expect((await post(`/webhooks/${id}/replay`, { from: { time: future } })).json).toMatchObject({
    code: 'NothingToReplay',
  });
});

test('both secrets verify while rotating, and the replaced one stops after a day', async () => {
  const receiver = await startReceiver();
  const { id, secret: first } = await addWebhook(receiver.url);
  const rotate = async () => {
    const { json } = await post(`/webhooks/${id}/rotate`);
    expect(json).toMatchObject({ webhook: { rotatingUntil: expect.stringMatching(/Z$/) } });
    return String(json['secret']);
  };
  const sent = async () => {
    await record('mira', 1);
    await work();
    const { body = '', headers = {} } = receiver.received.at(-1) ?? {};
    return (secret: string) => {
      try {
        new Webhook(secret).verify(body, headers);
        return true;
      } catch {
        return false;
      }
    };
  };
  const second = await rotate();
  expect([first, second].map(await sent())).toEqual([true, true]);
  const third = await rotate();
  expect([first, second, third].map(await sent())).toEqual([false, true, true]);
  await sql`update webhook_secret set expires_at = now() where expires_at is not null`.execute(db.owner);
  expect([second, third].map(await sent())).toEqual([false, true]);
});

test('two workers send nothing twice', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  receiver.respond = (response) => setTimeout(() => response.writeHead(200).end(), 20);
  for (let no = 1; no <= 10; no += 1) await record(`user${no % 3}`, no);
  await Promise.all([dispatch(), dispatch()]);
  await Promise.all([send(id), send(id), send(id)]);
  expect(receiver.received).toHaveLength(10);
});

test('a worker that loses its lease while a message is on its way does not record the answer', async () => {
  const receiver = await startReceiver();
  const { id } = await addWebhook(receiver.url);
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  receiver.respond = (response) => resolve(response);
  await record('mira', 1);
  await dispatch();
  const slow = send(id);
  const response = await promise;
  await sql`update webhook_endpoint set leased_until = now() - interval '1 second' where id = ${id}`.execute(db.owner);
  receiver.respond = (other) => other.writeHead(200).end();
  await send(id);
  response.writeHead(500).end();
  await slow;
  const [delivery] = await deliveries(id);
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 1 });
  const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(first).toBe(second);
});
