import { endpoint } from 'contract/core/endpoint.ts';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { testDatabase } from '#server/core/testing/database.ts';
import { openApp } from './app.ts';
import { openLog } from '#server/core/log.ts';
import { Refusal } from '#server/core/refusal.ts';

const db = await testDatabase();

const faulty = <const P extends string>(name: P) =>
  endpoint({
    feature: 'health',
    method: 'GET',
    url: `/api/faulty/${name}`,
    access: 'anyone',
    summary: 'Fails',
    answer: z.object({ fine: z.boolean() }),
    refusals: { 409: { Declared: 'Declared in so many words.' } },
  });

const secret = 'password=hunter2';
const app = await openApp(
  { config: db.config, database: db.database, pool: db.pool, log: openLog('silent') },
  (api) => {
    const refuse = (name: string, error: () => Error) =>
      api.serve(faulty(name), async () => {
        throw error();
      });
    refuse('declared', () => new Refusal('Declared'));
    refuse('undeclared', () => new Refusal('NobodySaidSo'));
    refuse('bug', () => new TypeError(`x is not a function, ${secret}`));
    refuse('sql', () => Object.assign(new Error(`relation "x" does not exist, ${secret}`), { code: '42P01' }));
    refuse('disk-full', () => Object.assign(new Error('could not extend file "base/5/16397"'), { code: '53100' }));
    api.serve(faulty('answer'), async () => ({ fine: secret }) as never);
  },
);
const address = await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(async () => {
  await app.close();
  await db[Symbol.asyncDispose]();
});

const call = async (name: string) => {
  const response = await fetch(`${address}/api/faulty/${name}`);
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') };
};

test('a declared refusal is answered with its declared text', async () => {
  const { status, text } = await call('declared');
  expect(status).toBe(409);
  expect(JSON.parse(text)).toMatchObject({ code: 'Declared', error: 'Declared in so many words.' });
});

test.each(['undeclared', 'bug', 'sql', 'answer'])(
  '%s: an internal error is a 500 that reveals nothing but its reference',
  async (name) => {
    const { status, text } = await call(name);
    expect(status).toBe(500);
    const { reference, ...details } = JSON.parse(text) as Record<string, unknown>;
    expect(reference).toMatch(/^[\da-f-]{36}$/);
    expect(details).toEqual({
      type: 'urn:bursar:problem:Unexpected',
      title: 'Something went wrong on our side. Check what was done before you try again.',
      status: 500,
      code: 'Unexpected',
      error: 'Something went wrong on our side. Check what was done before you try again.',
    });
  },
);

test('a database without room on its disk is busy, because what failed can be repeated later', async () => {
  const { status, text, retryAfter } = await call('disk-full');
  expect(status).toBe(503);
  expect(JSON.parse(text)).toMatchObject({ code: 'Busy' });
  expect(Number(retryAfter)).toBeGreaterThan(0);
});

test('the app does not start with a route that has no endpoint in the contract', async () => {
  const rogue = openApp({ config: db.config, database: db.database, pool: db.pool, log: openLog('silent') }, (api) =>
    api.serve(undefined as never, async () => ({}) as never),
  );
  await expect(rogue).rejects.toThrow(/undefined/);
});
