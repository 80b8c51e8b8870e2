import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addApiKey } from '#server/core/testing/api-key.ts';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { userItem } from '#server/core/testing/inbound.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { exceedsJsonLimits } from './json.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');

/** A list in a list in a list, and so on. */
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

const refused = { status: 400, json: { code: 'InvalidRequest', error: 'The request was not understood.' } };

/** Schemas refuse these bodies as well, but with a text of their own. */
const refusedBySchema = { status: 400, json: { code: 'InvalidRequest', detail: expect.any(String) as string } };

test.each([33, 1_000, 6_000, 30_000])('a body of %i nested lists is refused as an invalid request', async (depth) => {
  expect(await server.call('POST', '/api/tickets', { token, body: nested(depth) })).toMatchObject(refused);
  const inside = `{"type":"Hello","description":${nested(depth - 1)}}`;
  expect(await server.call('POST', '/api/tickets', { token, body: inside })).toMatchObject(refused);
});

test('so is one of nested objects, before the sign-in and in a browser’s report', async () => {
  const body = `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`;
  expect(await server.call('POST', '/api/admin/login', { body })).toMatchObject(refused);
  const report = {
    body: `{"csp-report":{"more":${nested(3_000)}}}`,
    headers: { 'content-type': 'application/csp-report' },
  };
  expect(await server.call('POST', '/api/policy-reports', report)).toMatchObject(refused);
});

test('a body of 32 levels and 10,000 values reaches its schema, and of one value more does not', async () => {
  expect(await server.call('POST', '/api/tickets', { token, body: nested(32) })).toMatchObject(refusedBySchema);
  const values = (count: number) => `[${Array.from({ length: count - 1 }, () => '1').join(' , ')}]`;
  expect(await server.call('POST', '/api/tickets', { token, body: values(10_000) })).toMatchObject(refusedBySchema);
  expect(await server.call('POST', '/api/tickets', { token, body: values(10_001) })).toMatchObject(refused);
});

test('brackets and commas in a text do not count', async () => {
  const body = { type: 'Hello', description: `"\\" ${'[{,'.repeat(150)} \\` };
  expect((await server.call('POST', '/api/tickets', { token, body })).status).toBe(200);
});

test('the platform sends a thousand items of the largest kind, and no deeper than others', async () => {
  const { secret } = await addApiKey(db.owner, { scopes: ['users:write'] });
  const post = (body: string | object) => server.call('POST', '/api/platform/users', { token: secret, body });
  const first = userItem();
  expect((await post({ items: [first] })).status).toBe(200);
  const others = Array.from({ length: 1_000 }, () => ({ ...userItem(), role: 'User', sponsor: { id: first.id } }));
  expect((await post({ items: others })).status).toBe(200);
  expect(await post(`{"items":${nested(40)}}`)).toMatchObject(refused);
  expect(await post(`{"items":[${'1,'.repeat(60_000)}1]}`)).toMatchObject(refused);
});

const countOf = (value: unknown): number =>
  value === null || typeof value !== 'object'
    ? 1
    : Object.values(value).reduce((sum: number, inner) => sum + countOf(inner), 1);

const depthOf = (value: unknown): number =>
  value === null || typeof value !== 'object' ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));

test('the count is that of the parsed value, however the text is written', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      const limits = { depth: depthOf(value), nodes: countOf(value) };
      expect(exceedsJsonLimits(text, limits)).toBe(false);
      expect(exceedsJsonLimits(text, { ...limits, nodes: limits.nodes - 1 })).toBe(true);
      expect(exceedsJsonLimits(text, { ...limits, depth: limits.depth - 1 })).toBe(true);
    }),
  );
});
