import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { inboundScopes } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const document = readFileSync(new URL('../../../../docs/platform-api.md', import.meta.url), 'utf8');
const steps = [...document.matchAll(/```\nPOST (?<path>\S+)\n(?<body>.*?)```\s+```json\n(?<answer>.*?)```/gs)];

test('the example in docs/platform-api.md works as written', async () => {
  const { db, server } = await testEnvironment();
  await addAdmin(db.owner, { username: 'ann' });
  const { secret: token } = await addApiKey(db.owner, { scopes: [...inboundScopes] });
  expect(steps.length).toBeGreaterThan(3);
  for (const { groups: { path = '', body = '', answer = '' } = {} } of steps) {
    const { status, json } = await server.call('POST', path, {
      token,
      body: body.replaceAll('NOW', new Date().toISOString()),
    });
    expect([path, status, json]).toEqual([path, 200, JSON.parse(answer)]);
  }
});
