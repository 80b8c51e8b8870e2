import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { testServer } from '#server/core/testing/server.ts';

const { db, server } = await testEnvironment();

test('a running process reports that it is live, without a session', async () => {
  const { status, json } = await server.call('GET', '/api/health/live');
  expect({ status, json }).toEqual({ status: 200, json: { status: 'live' } });
});

test('a process whose migrations are all applied is ready', async () => {
  const { status, json } = await server.call('GET', '/api/health/ready');
  expect({ status, json }).toEqual({ status: 200, json: { status: 'ready' } });
});

test('with a migration missing, a running process is live but not ready, and a new one does not start', async () => {
  const [last] = (
    await sql<{ name: string; timestamp: string }>`select * from kysely_migration order by name desc limit 1`.execute(
      db.owner,
    )
  ).rows;
  await sql`delete from kysely_migration where name = ${last?.name}`.execute(db.owner);
  const { status, json, headers } = await server.call('GET', '/api/health/ready');
  expect(status).toBe(503);
  expect(json).toMatchObject({ code: 'NotReady', error: 'The database cannot be reached.' });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await server.call('GET', '/api/health/live')).status).toBe(200);
  await expect(testServer(db.url)).rejects.toThrow(`missing: ${last?.name}`);
  await sql`insert into kysely_migration values (${last?.name}, ${last?.timestamp})`.execute(db.owner);
  expect((await server.call('GET', '/api/health/ready')).status).toBe(200);
});

test('with a newer schema, a running process remains ready, and a new one does not start', async () => {
  await sql`insert into kysely_migration values ('9999_later.sql', ${new Date().toISOString()})`.execute(db.owner);
  expect((await server.call('GET', '/api/health/ready')).status).toBe(200);
  await expect(testServer(db.url)).rejects.toThrow('newer than this code, which does not know 9999_later.sql');
  await sql`delete from kysely_migration where name = '9999_later.sql'`.execute(db.owner);
});

test('a process whose database is gone is not ready', async () => {
  const other = await testEnvironment();
  await other.db.drop();
  const { status, json } = await other.server.call('GET', '/api/health/ready');
  expect(status).toBe(503);
  expect(json['code']).toBe('NotReady');
  const login = await other.server.call('POST', '/api/admin/login', {
    body: { username: 'ann', password: 'any phrase' },
  });
  expect([500, 503]).toContain(login.status);
});
