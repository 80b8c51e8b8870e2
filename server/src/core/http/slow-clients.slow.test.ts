import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
const { hostname, port } = new URL(server.address);

type Drip = {
  /** Sent at once. */
  start: string;
  /** Sent one piece, or one character of a text, per interval. */
  rest?: string | string[];
};

const everyMs = 400;

/** Sends a request slowly. Returns the status of the response, if any, and the seconds until the connection closed. */
async function drip({ start, rest = '' }: Drip) {
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('utf8');
  const started = performance.now();
  let answer = '';
  const closed = new Promise<number>((resolve) => {
    socket.on('data', (text) => (answer += String(text)));
    // The server may reset a connection to which the client still writes.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve((performance.now() - started) / 1000));
  });
  socket.write(start);
  for (const piece of rest) {
    await wait(everyMs);
    if (socket.destroyed || answer !== '') break;
    socket.write(piece);
  }
  const seconds = await closed;
  return { seconds, status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]) };
}

const head = (lines: string[]) => [...lines, 'host: x', 'connection: close', ''].join('\r\n');
const post = (path: string, { length, more = [] }: { length: number; more?: string[] }) =>
  `${head([`POST ${path} HTTP/1.1`, 'content-type: application/json', `content-length: ${length}`, ...more])}\r\n`;
const withToken = [`authorization: Bearer ${token}`];

const timeouts = { timeout: 60_000, concurrent: true };

/** The promise, with a second for a busy machine. */
const headersSeconds = 11;
const requestSeconds = 21;

test('a connection that sends nothing is closed within 10 seconds', timeouts, async () => {
  expect((await drip({ start: '' })).seconds).toBeLessThan(headersSeconds);
});

test('headers that arrive slowly are refused within 10 seconds', timeouts, async () => {
  const { seconds, status } = await drip({ start: 'GET /api/health/live HTTP/1.1\r\nx: ', rest: 'x'.repeat(200) });
  expect(seconds).toBeLessThan(headersSeconds);
  expect(status).toBe(408);
});

test('headers that stop arriving are refused within 10 seconds', timeouts, async () => {
  const { seconds, status } = await drip({ start: 'GET /api/health/live HTTP/1.1\r\nhost: x\r\n' });
  expect(seconds).toBeLessThan(headersSeconds);
  expect(status).toBe(408);
});

test('so are those of a further request on the same connection', timeouts, async () => {
  const request = 'GET /api/health/live HTTP/1.1\r\nhost: x\r\n';
  const { seconds, status } = await drip({ start: `${request}\r\n${request}` });
  expect(seconds).toBeLessThan(headersSeconds);
  expect(status).toBe(200);
});

test.each([
  ['before a sign-in', post('/api/admin/login', { length: 1_000 })],
  ['of a signed-in administrator', post('/api/tickets', { length: 1_000, more: withToken })],
])('a body %s that arrives slowly is refused within 20 seconds', timeouts, async (_what, start) => {
  const { seconds, status } = await drip({ start, rest: ' '.repeat(200) });
  expect(seconds).toBeLessThan(requestSeconds);
  expect(status).not.toBe(200);
});

test('a body that stops arriving is refused within 20 seconds', timeouts, async () => {
  const { seconds } = await drip({ start: `${post('/api/tickets', { length: 1_000, more: withToken })}{` });
  expect(seconds).toBeLessThan(requestSeconds);
});

test('a slow body whose call was refused by its headers does not keep the connection open', timeouts, async () => {
  const { seconds, status } = await drip({ start: post('/api/tickets', { length: 1_000 }), rest: ' '.repeat(200) });
  expect(seconds).toBeLessThan(requestSeconds);
  expect(status).toBe(401);
});

test('a request on a slow network is served: headers of 7 seconds, then a body of 8', timeouts, async () => {
  const body = JSON.stringify({ username: 'ann', password: testPassword }).padEnd(80);
  const start = `${post('/api/admin/login', { length: body.length }).trimEnd()}\r\nx-slow: `;
  const headers = [...Array.from({ length: 17 }, () => 'x'), '\r\n\r\n'];
  const { status, seconds } = await drip({ start, rest: [...headers, ...(body.match(/.{4}/gs) ?? [])] });
  expect(status).toBe(200);
  expect(seconds).toBeGreaterThan(14);
});
