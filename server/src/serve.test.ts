import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import type { Endpoint } from 'contract/core/endpoint.ts';
import { afterAll, expect, test } from 'vitest';
import { openThrottle } from './core/auth/throttle.ts';
import { openHub } from './core/events/hub.ts';
import type { Api } from './core/http/api.ts';
import { openLog } from './core/log.ts';
import { addFeatures } from './serve.ts';
import { testEnvironment } from './core/testing/environment.ts';

const { db, server } = await testEnvironment();
const hub = await openHub(db.url, openLog('silent'));
afterAll(() => hub.stop());

const folder = new URL('../../contract/src/', import.meta.url);
const files = globSync('*.ts', { cwd: folder }).filter((file) => !file.endsWith('.test.ts'));
const modules = await Promise.all(
  files.map(async (file) => (await import(new URL(file, folder).href)) as Record<string, unknown>),
);

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'url' in value && 'access' in value;
const described = modules.flatMap((exported) => Object.values(exported).filter(isEndpoint));
const nameOf = ({ method, url }: Endpoint) => `${method} ${url}`;

const served: Endpoint[] = [];
const recorder: Api = {
  serve: (endpoint) => void served.push(endpoint),
  stream: (endpoint) => void served.push(endpoint),
  send: (endpoint) => void served.push(endpoint),
};
addFeatures(recorder, {
  config: db.config,
  database: db.database,
  strangers: db.database,
  hub,
  throttle: openThrottle({ known: db.pool, strangers: db.pool }),
  enqueue: () => Promise.resolve(),
});

test('the server serves exactly the endpoints of the contract', () => {
  expect(described.length).toBeGreaterThan(10);
  expect(served.map(nameOf).toSorted()).toEqual(described.map(nameOf).toSorted());
});

// Without a worker, the endpoint that counts them responds with 503.
await db.owner.transaction().execute((tx) => tx.insertInto('workerProcess').values({ id: randomUUID() }).execute());

test.each(described.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
  '%s is served, and needs a session unless anyone may call it',
  async (_name, endpoint) => {
    const path = endpoint.url.replaceAll(/:\w+/g, '019c0000-0000-7000-8000-000000000000');
    const { status, json } = await server.call(endpoint.method, path);
    expect(json['code']).not.toBe('NoSuchCall');
    expect(status === 401).toBe(endpoint.access !== 'anyone');
    expect(status).toBeLessThan(500);
  },
);

test.each(described.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
  '%s does not respond to other methods',
  async (_name, { method, url }) => {
    const path = url.replaceAll(/:\w+/g, '019c0000-0000-7000-8000-000000000000');
    const taken = described.filter((other) => other.url === url).map((other) => other.method as string);
    for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
      (verb) => verb !== method && !taken.includes(verb),
    )) {
      expect((await server.call(other, path)).status, other).toBe(otherRoute(other, url) ? 401 : 404);
    }
  },
);

/** Whether a route with parameters matches: GET /api/admin/signup is not an endpoint, but GET /api/admin/:id is. */
function otherRoute(method: string, url: string) {
  const covers = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(url.replaceAll(/:\w+/g, 'x'));
  return described.some((other) => other.method === method && covers(other.url));
}
