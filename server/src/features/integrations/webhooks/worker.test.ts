import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { startReceiver } from '#server/core/testing/receiver.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';

const local = { BURSAR_WEBHOOK_TARGETS: 'local' };
const { db, server } = await testEnvironment(local);
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');

const startWorker = () => startProgram({ program: 'worker.ts', environment: testVariables(db.url, local) });

test('a worker that is killed before it has recorded the answer: another one sends the message again, under the same id', async () => {
  const receiver = await startReceiver();
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  receiver.respond = () => arrive();
  const body = { url: receiver.url, description: '', types: null };
  const { json } = await server.call('POST', '/api/integrations/webhooks', { token, body });
  const { id } = json['webhook'] as { id: string };
  const first = startWorker();
  await server.call('POST', `/api/integrations/webhooks/${id}/test`, { token });
  await arrived;
  await first.kill();
  receiver.respond = (response) => response.writeHead(200).end();
  const second = startWorker();
  // The lease of the dead worker ends.
  await sql`update webhook_endpoint set leased_until = now()`.execute(db.owner);
  await eventually(() => receiver.received.length === 2, 60_000);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids[0]).toBe(ids[1]);
  const delivered = () => sql`select from webhook_delivery where state = 'delivered'`.execute(db.owner);
  await eventually(async () => (await delivered()).rows.length === 1);
  // A worker that is running sends an event soon after its commit, because the announcement wakes it.
  await server.call('POST', `/api/integrations/webhooks/${id}/test`, { token });
  await eventually(() => receiver.received.length === 3, 8_000);
  await second.stop();
}, 120_000);
