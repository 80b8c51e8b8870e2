import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { eventData, PlatformEvent } from 'contract/integrations-events.ts';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { webhookEnvironment } from '#server/core/testing/webhooks.ts';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../../../../..');
const { db, server, token, addWebhook, record, deliveries, work } = await webhookEnvironment();
const { secret } = await addApiKey(db.owner, { scopes: ['events:read'] });

// Inside the repository, so that the examples find their packages.
const cache = path.join(root, 'node_modules/.cache');
await mkdir(cache, { recursive: true });
const folder = await mkdtemp(path.join(cache, 'webhooks-'));
afterAll(() => rm(folder, { recursive: true }));

const document = await readFile(path.join(root, 'docs/webhooks.md'), 'utf8');
for (const [, name = '', code = ''] of document.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs))
  await writeFile(path.join(folder, name), code);

function run(name: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, [path.join(folder, name)], { env: environment });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said = { lines: [] as string[] };
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.lines.push(...text.trim().split('\n')));
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.lines.push(`error: ${text}`));
  return { said, ended: once(child, 'close') };
}

async function freePort() {
  const listener = net.createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as net.AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

test('the documented receiver verifies events, handles each once and refuses a wrong signature', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = await addWebhook(url);
  const { said } = run('receiver.mjs', { WEBHOOK_SECRET: secret, PORT: String(port) });
  const forge = () => fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'x' } });
  const refused = await eventually(() => forge().catch(() => undefined), 20_000);
  expect(refused.status).toBe(400);
  await record('mira', 1);
  await work();
  const [delivery] = await deliveries(id);
  expect(delivery).toMatchObject({ state: 'delivered', lastStatus: 204 });
  const again = `/api/integrations/deliveries/${delivery?.id}/retry`;
  expect((await server.call('POST', again, { token })).status).toBe(200);
  await work();
  await record('mira', 2);
  await work();
  await eventually(() => said.lines.length >= 2);
  expect(said.lines).toEqual([
    `${delivery?.seq} user.blacklisted mira`,
    expect.stringMatching(/^\d+ user\.blacklisted mira$/),
  ]);
});

test('the documented loop reads all events from a cursor', async () => {
  const seqs = await db.owner.selectFrom('platformEvent').select(['seq', 'type', 'subjectId']).orderBy('seq').execute();
  const [first] = seqs;
  const { said, ended } = run('catch-up.mjs', {
    BURSAR_URL: server.address,
    BURSAR_API_KEY: secret,
    CURSOR: String(first?.seq),
  });
  await ended;
  expect(said.lines).toEqual(seqs.slice(1).map(({ seq, type, subjectId }) => `${seq} ${type} ${subjectId}`));
});

test('the documented event has exactly the fields of the contract, and every type is documented', () => {
  const [, example = ''] = /```json\n(.*?)```/s.exec(document) ?? [];
  const { type, data } = PlatformEvent.parse(JSON.parse(example));
  expect(type).toBe('withdrawal.approved');
  z.strictObject(eventData['withdrawal.approved'].shape).parse(data);
  expect(Object.keys(eventData).filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
});
