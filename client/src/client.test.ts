import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { BursarError } from './errors.ts';

/* How the client meets a network that fails. What it does with Bursar itself is in proof/platform-client.test.ts. */
type Received = {
  method: string;
  url: string;
  body: string;
  key: string | undefined;
  authorization: string | undefined;
};
type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const received: Received[] = [];
const answers: Answer[] = [];
const server = createServer((request, response) => void take(request, response));

async function take(request: IncomingMessage, response: ServerResponse) {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const { method = '', url = '', headers } = request;
  received.push({ method, url, body, key: String(headers['idempotency-key']), authorization: headers.authorization });
  (answers.shift() ?? storeAll)(request, response);
}

await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = createClient({ url: `${url}/`, apiKey: 'bursar_key', attemptTimeoutMs: 1_000, giveUpAfterMs: 10_000 });

const json = (response: ServerResponse, body: object, { status = 200, headers = {} } = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const storeAll: Answer = (_request, response) => {
  const { items = [] } = JSON.parse(received.at(-1)?.body ?? '{}') as { items?: { id: string }[] };
  json(response, { results: items.map(({ id }) => ({ id, outcome: 'stored' })), state: 'sent' });
};
const refuse =
  (status: number, body: object = {}, headers = {}): Answer =>
  (_request, response) =>
    json(response, body, { status, headers });
const disconnect: Answer = ({ socket }) => socket.destroy();
const neverAnswer: Answer = () => undefined;

/** The requests that a call causes if the server first answers in these ways. */
async function requestsOf(act: () => Promise<unknown>, ...first: Answer[]) {
  received.length = 0;
  answers.splice(0, answers.length, ...first);
  await act();
  return received;
}

const ticket = (id: string, description = 'Help') => ({
  id,
  user: 'U1',
  type: 'Lost',
  description,
  at: '2026-01-01T00:00:00Z',
});

test('a call has the key and its items, and returns their results', async () => {
  const [request] = await requestsOf(async () => {
    expect(await client.openTickets([ticket('t-1')])).toEqual([{ id: 't-1', outcome: 'stored' }]);
  });
  expect(request).toMatchObject({ method: 'POST', url: '/api/platform/tickets', authorization: 'Bearer bursar_key' });
  expect(JSON.parse(request?.body ?? '')).toEqual({ items: [ticket('t-1')] });
});

test.each([
  ['is not available', refuse(503)],
  ['fails', refuse(500)],
  ['is behind a proxy that lost it', refuse(502)],
  ['has no more requests for the key', refuse(429, {}, { 'retry-after': '0' })],
  ['closes the connection', disconnect],
  ['does not answer in time', neverAnswer],
  [
    'answers with half a body',
    (_request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"results":');
      setTimeout(() => response.destroy(), 20);
    },
  ],
])('if the server %s, the same call is repeated', async (_title, failure: Answer) => {
  const requests = await requestsOf(() => client.openTickets([ticket('t-1')]), failure, failure);
  expect(requests.length).toBe(3);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
});

test('a report has the same idempotency key in every attempt, and another one in another call', async () => {
  const report = () => client.reportWithdrawal('w/1', { outcome: 'sent', reference: 'tx' });
  const [first, second] = [...(await requestsOf(report, disconnect))];
  expect(first?.url).toBe('/api/platform/withdrawals/w%2F1/outcome');
  expect(first?.key).toBe(second?.key);
  expect(first?.key).toMatch(/^[0-9a-f-]{36}$/);
  expect((await requestsOf(report))[0]?.key).not.toBe(second?.key);
});

test.each([400, 401, 403, 404, 409, 413, 422])('a refusal with status %i is final and says why', async (status) => {
  const problem = { code: 'WithdrawalsDisabled', error: 'Withdrawals are switched off.', detail: 'x', reference: 'r' };
  const call = client.openTickets([ticket('t-1')]);
  answers.splice(0, answers.length, refuse(status, problem));
  const error = await call.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BursarError);
  expect(error).toMatchObject({ status, code: 'WithdrawalsDisabled', reference: 'r', isTemporary: false });
  expect(String(error)).toContain('Withdrawals are switched off. x');
});

test('it waits as long as the server asks, and gives up if that is too long', async () => {
  const began = Date.now();
  await requestsOf(() => client.openTickets([ticket('t-1')]), refuse(503, {}, { 'retry-after': '1' }));
  expect(Date.now() - began).toBeGreaterThan(990);
  const maintenance = refuse(503, { code: 'UnderMaintenance', error: 'Later.' }, { 'retry-after': '3600' });
  const requests = await requestsOf(async () => {
    await expect(client.openTickets([ticket('t-1')])).rejects.toMatchObject({
      code: 'UnderMaintenance',
      retryAfterSeconds: 3_600,
      isTemporary: true,
    });
  }, maintenance);
  expect(requests.length).toBe(1);
});

test('it gives up after the time that was set', async () => {
  const hasty = createClient({ url, apiKey: 'k', giveUpAfterMs: 700 });
  const began = Date.now();
  await requestsOf(
    () => expect(hasty.openTickets([ticket('t')])).rejects.toThrow(BursarError),
    ...Array<Answer>(20).fill(disconnect),
  );
  expect(Date.now() - began).toBeLessThan(1_500);
});

test('many items are sent in their order, at most 1,000 and 2 MB in a call', async () => {
  const many = Array.from({ length: 2_500 }, (_none, index) => ticket(`t-${index}`));
  const requests = await requestsOf(async () => {
    expect((await client.openTickets(many)).map(({ id }) => id)).toEqual(many.map(({ id }) => id));
  });
  expect(requests.map(({ body }) => (JSON.parse(body) as { items: [] }).items.length)).toEqual([1_000, 1_000, 500]);
  const large = Array.from({ length: 900 }, (_none, index) => ticket(`t-${index}`, 'ä'.repeat(2_500)));
  const sizes = (await requestsOf(() => client.openTickets(large))).map(({ body }) => Buffer.byteLength(body));
  expect(sizes.length).toBe(3);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * 1024 * 1024);
  expect(await requestsOf(() => client.openTickets([]))).toEqual([]);
});
