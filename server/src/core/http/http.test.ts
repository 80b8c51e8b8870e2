import { connect as openSocket } from 'node:net';
import { Problem } from 'contract/core/endpoint.ts';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment({ BURSAR_PANEL_ORIGINS: 'https://panel.example, https://other.example' });
await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
const token = await server.signIn('root');

const ticket = { type: 'Hello', description: 'There' };
const json = { 'content-type': 'application/json' };

type Refused = [
  string,
  { method?: string; path: string; body?: unknown; headers?: Record<string, string> },
  [status: number, code: string],
];

const refused: Refused[] = [
  ['an unknown URL', { path: '/api/nothing' }, [404, 'NoSuchCall']],
  ['a URL outside the API', { path: '/nothing/at/all' }, [404, 'NoSuchCall']],
  ['an unknown method', { method: 'DELETE', path: '/api/tickets' }, [404, 'NoSuchCall']],
  ['a malformed URL', { path: '/api/tickets/%zz' }, [400, 'InvalidRequest']],
  ['a parameter that is too long', { path: `/api/tickets/${'x'.repeat(300)}` }, [400, 'InvalidRequest']],
  [
    'an unknown field in the body',
    { method: 'POST', path: '/api/tickets', body: { ...ticket, more: 1 } },
    [400, 'InvalidRequest'],
  ],
  ['an unknown field in the query', { path: '/api/tickets/all?more=1' }, [400, 'InvalidRequest']],
  ['no body', { method: 'POST', path: '/api/tickets' }, [400, 'InvalidRequest']],
  ['an empty body', { method: 'POST', path: '/api/tickets', headers: json }, [400, 'InvalidRequest']],
  [
    'a body that is not JSON',
    { method: 'POST', path: '/api/tickets', body: '{"type":', headers: json },
    [400, 'InvalidRequest'],
  ],
  ['a body that is a list', { method: 'POST', path: '/api/tickets', body: [ticket] }, [400, 'InvalidRequest']],
  ['a body that is null', { method: 'POST', path: '/api/tickets', body: 'null' }, [400, 'InvalidRequest']],
  [
    'a prototype in the body',
    { method: 'POST', path: '/api/tickets', body: '{"__proto__":{"a":1},"type":"a","description":"b"}' },
    [400, 'InvalidRequest'],
  ],
  [
    'U+0000 in the body',
    { method: 'POST', path: '/api/tickets', body: { ...ticket, type: 'a\u0000b' } },
    [400, 'InvalidRequest'],
  ],
  [
    'U+0000 in a field name of the body',
    { method: 'POST', path: '/api/tickets', body: { ...ticket, 'a\u0000': 1 } },
    [400, 'InvalidRequest'],
  ],
  [
    'U+0000 in a password',
    { method: 'POST', path: '/api/admin/login', body: { username: 'root', password: 'a\u0000b' } },
    [400, 'InvalidRequest'],
  ],
  [
    'half of a surrogate pair in the body',
    { method: 'POST', path: '/api/tickets', body: { ...ticket, type: 'a\ud800' } },
    [400, 'InvalidRequest'],
  ],
  ['U+0000 in the query', { path: '/api/tickets/all?search=abc%00d' }, [400, 'InvalidRequest']],
  ['U+0000 in a parameter', { path: '/api/tickets/%00' }, [400, 'InvalidRequest']],
  [
    'more than 64 KB',
    { method: 'POST', path: '/api/tickets', body: { ...ticket, description: 'x'.repeat(65_536) } },
    [413, 'RequestTooLarge'],
  ],
  [
    'a form',
    {
      method: 'POST',
      path: '/api/tickets',
      body: 'type=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
    [415, 'UnsupportedMediaType'],
  ],
  [
    'plain text',
    { method: 'POST', path: '/api/tickets', body: '{}', headers: { 'content-type': 'text/plain' } },
    [415, 'UnsupportedMediaType'],
  ],
];

test.each(refused)('%s is refused with a problem document', async (_what, call, [expected, code]) => {
  const { method = 'GET', path, ...rest } = call;
  const answer = await server.call(method, path, { token, ...rest });
  expect(answer.status).toBe(expected);
  const problem = Problem.strict().parse(answer.json);
  expect(problem).toMatchObject({ status: expected, code, type: `urn:bursar:problem:${code}` });
  // Only a refusal by a schema has a detail, and an error that differs from the title.
  expect(problem.error === problem.title).toBe(problem.detail === undefined);
  expect(problem.reference).toMatch(/^[\da-f-]{36}$/);
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
});

test('the error describes the invalid fields with at most three reasons', async () => {
  const signUp = (body: object) => server.call('POST', '/api/admin/signup', { token, body });
  const short = await signUp({ username: 'ann', password: 'short', confirmPassword: 'short', role: 'Admin' });
  expect(short.status).toBe(400);
  expect(short.json).toMatchObject({
    code: 'InvalidRequest',
    title: 'The request was not understood.',
    error: 'Password must have at least 12 characters.',
    detail: '/password: Password must have at least 12 characters.',
  });
  const empty = await signUp({});
  expect(empty.json['error']).toBe('Username is required. Password is required. Confirm password is required.');
  expect(empty.json['detail']).toContain('/role: Role is required.');
  const nothing = await server.call('POST', '/api/tickets', { token });
  expect(nothing.json['error']).toBe('The request must be a JSON object.');
});

test('the problem names the invalid field without repeating its value', async () => {
  const body = { ...ticket, type: 'secret value '.repeat(20) };
  const { json: problem, text } = await server.call('POST', '/api/tickets', { token, body });
  expect(problem['detail']).toContain('/type');
  expect(text).not.toContain('secret value');
});

test('a body of exactly 64 KB is accepted', async () => {
  const body = JSON.stringify({ ...ticket, description: 'x' });
  const padded = body + ' '.repeat(64 * 1024 - body.length);
  expect((await server.call('POST', '/api/tickets', { token, body: padded })).status).toBe(200);
});

test.each(['/api/tickets/all', '/api/health/live', '/api/auth/me'])('%s is never cached', async (path) => {
  const { status, headers } = await server.call('GET', path, { token });
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
});

test('every response carries the security headers', async () => {
  for (const path of ['/api/tickets/all', '/api/nothing', '/nothing']) {
    const { headers } = await server.call('GET', path, { token });
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  }
});

const preflight = (origin: string) =>
  server.call('OPTIONS', '/api/tickets', {
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization,content-type',
    },
  });

test.each(['https://panel.example', 'https://other.example'])('%s may call with credentials', async (origin) => {
  const preflighted = await preflight(origin);
  expect(preflighted.status).toBe(204);
  const called = await server.call('GET', '/api/tickets/all', { token, headers: { origin } });
  expect(called.status).toBe(200);
  for (const { headers } of [preflighted, called]) {
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    expect(headers.get('vary')).toMatch(/origin/i);
  }
  expect(preflighted.headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(called.headers.get('access-control-expose-headers')).toBe('retry-after, link, x-total-count');
});

test.each(['https://evil.example', 'https://panel.example.evil.example', 'http://panel.example', 'null'])(
  'a page of %s cannot read a response',
  async (origin) => {
    const called = await server.call('GET', '/api/tickets/all', { token, headers: { origin } });
    for (const { headers } of [await preflight(origin), called]) {
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  },
);

test('a panel on another allowed origin can read refusals too', async () => {
  const { status, headers } = await server.call('GET', '/api/tickets/all', {
    headers: { origin: 'https://panel.example' },
  });
  expect(status).toBe(401);
  expect(headers.get('access-control-allow-origin')).toBe('https://panel.example');
});

test('a browser’s policy violation report is accepted in its own media type, up to 8 KB', async () => {
  const report = (body: unknown, type = 'application/csp-report') =>
    server.call('POST', '/api/policy-reports', { body, headers: { 'content-type': type } });
  const broken = { 'csp-report': { 'effective-directive': 'script-src', 'blocked-uri': 'inline', 'line-number': 3 } };
  expect((await report(broken)).status).toBe(200);
  expect((await report('{')).status).toBe(400);
  expect((await report({ 'csp-report': { 'blocked-uri': 'x'.repeat(9_000) } })).status).toBe(413);
});

test('a malformed HTTP request gets a 400 and does not affect the server', async () => {
  const { port, hostname } = new URL(server.address);
  const socket = openSocket(Number(port), hostname);
  socket.end('GET /api/health/live HTTP/1.1\r\nhost: x\r\nbad\u0000header: 1\r\n\r\n');
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect((await server.call('GET', '/api/health/live')).status).toBe(200);
});
