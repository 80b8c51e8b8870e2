import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testVariables } from '#server/core/testing/config.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { addAdmin, testPassword } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { openLog } from './log.ts';

type Line = Record<string, unknown> & { msg?: string; address?: string };

const allowed = new Set([
  'level',
  'time',
  'msg',
  'reference',
  'method',
  'route',
  'status',
  'ms',
  'adminId',
  'job',
  'address',
  'error',
  'directive',
  'blocked',
  'rows',
  'seq',
]);

test('the log contains every request, only allowed fields and no secrets', async () => {
  await using db = await testDatabase();
  await addAdmin(db.database, { username: 'root', role: 'SuperAdmin' });
  const server = startProgram({ program: 'main.ts', environment: testVariables(db.url, { LOG_LEVEL: 'debug' }) });
  const lines = () =>
    server.said.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const address = await eventually(() => lines().find(({ msg }) => msg === 'listening')?.address, 15_000);

  const newPassword = 'a phrase nobody may read';
  const wrongPassword = 'a phrase that is wrong';
  const call = async (method: string, path: string, { token = '', body }: { token?: string; body?: unknown } = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin: address };
    const response = await fetch(`${address}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]?.split('=')[1] ?? '');
    return { json: (await response.json()) as Record<string, unknown>, cookies };
  };
  await call('POST', '/api/admin/login', { body: { username: 'root', password: wrongPassword } });
  const { json, cookies } = await call('POST', '/api/admin/login', {
    body: { username: 'root', password: testPassword },
  });
  await call('POST', '/api/auth/password', {
    token: String(json['token']),
    body: { currentPassword: testPassword, newPassword },
  });
  await call('GET', '/api/tickets/all?search=unspoken');
  await call('POST', '/api/policy-reports', {
    body: { 'csp-report': { 'effective-directive': 'script-src', 'blocked-uri': 'inline', sample: newPassword } },
  });
  await sql`alter table admin_credential rename to elsewhere`.execute(db.owner);
  await call('POST', '/api/admin/login', { body: { username: 'root', password: newPassword } });
  const { code, stdout, stderr } = await server.stop();

  expect(code).toBe(0);
  const answered = lines().filter(({ msg }) => msg === 'answered');
  expect(answered).toHaveLength(6);
  expect(answered[1]).toMatchObject({
    method: 'POST',
    route: '/api/admin/login',
    status: 200,
    reference: expect.any(String),
  });
  expect(lines().some(({ level, msg }) => level === 'error' && msg === 'failed')).toBe(true);
  for (const line of lines()) expect(Object.keys(line).filter((name) => !allowed.has(name))).toEqual([]);
  const secrets = [
    'unspoken',
    newPassword,
    wrongPassword,
    testPassword,
    String(json['token']),
    ...cookies,
    db.config.audit.key.toString('base64'),
  ];
  for (const secret of secrets.filter((one) => one !== '')) expect(stdout + stderr).not.toContain(secret);
});

test('fields outside the allow-list are not written at any depth, and errors are reduced to safe properties', () => {
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => void lines.push(line) });
  const failure = Object.assign(new Error('duplicate key'), {
    code: '23505',
    constraint: 'admin_username_key',
    detail: 'Key (username)=(hunter2) already exists.',
    parameters: ['hunter2'],
    where: { password: 'hunter2' },
  });
  log.info(
    { password: 'hunter2', headers: { authorization: 'hunter2' }, list: [{ token: 'hunter2' }], method: 'GET' },
    'hello',
  );
  log.error({ err: failure, body: { password: 'hunter2' } }, 'failed');
  log.warn({ error: { message: 'hunter2' } }, 'not even an error');
  log.child({ reference: 'r1' }).info({ secret: 'hunter2', status: 200 }, 'child');
  const written = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.join('')).not.toContain('hunter2');
  expect(written[0]).toEqual({ level: 'info', time: expect.any(String), method: 'GET', msg: 'hello' });
  expect(written[1]).toMatchObject({
    error: { code: '23505', constraint: 'admin_username_key', message: 'duplicate key' },
  });
  expect(written[3]).toMatchObject({ reference: 'r1', status: 200 });
});
