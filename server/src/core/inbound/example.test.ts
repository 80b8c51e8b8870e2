import { readFileSync } from 'node:fs';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { platformCalls } from 'contract/integrations-reference.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const document = readFileSync(new URL('../../../../docs/platform-api.md', import.meta.url), 'utf8');
const steps = [...document.matchAll(/```\nPOST (?<path>\S+)\n(?<body>.*?)```\s+```json\n(?<answer>.*?)```/gs)];

async function platformServer() {
  const { db, server } = await testEnvironment();
  await addAdmin(db.owner, { username: 'ann' });
  const { secret: token } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
  return { server, token };
}

test('the example in docs/platform-api.md works as written', async () => {
  const { server, token } = await platformServer();
  expect(steps.length).toBeGreaterThan(3);
  for (const { groups: { path = '', body = '', answer = '' } = {} } of steps) {
    const { status, json } = await server.call('POST', path, {
      token,
      body: body.replaceAll('NOW', new Date().toISOString()),
    });
    expect([path, status, json]).toEqual([path, 200, JSON.parse(answer)]);
  }
});

const calls: Endpoint[] = Object.values(platformCalls);
const sending = calls.flatMap(({ url, example }) =>
  example?.body && 'items' in example.body ? [{ url, body: JSON.stringify(example.body), answer: example.answer }] : [],
);
const time = /(?<=")\d{4}-[\d-]+T[\d:]+Z(?=")/g;

test('the examples of the API reference work in its order, if they end now', async () => {
  const { server, token } = await platformServer();
  const times = sending.flatMap(({ body }) => body.match(time) ?? []);
  const late = Date.now() - Math.max(...times.map(Date.parse));
  expect(sending.length).toBeGreaterThan(8);
  for (const { url, body, answer } of sending) {
    const sent = body.replaceAll(time, (at) => new Date(Date.parse(at) + late).toISOString());
    const { status, json } = await server.call('POST', url, { token, body: sent });
    expect([url, status, json]).toEqual([url, 200, answer]);
  }
});
