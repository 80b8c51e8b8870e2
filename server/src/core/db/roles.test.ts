import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { openTasks, startQueue } from '#server/core/queue/queue.ts';
import { testVariables } from '#server/core/testing/config.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { openPooler } from '#server/core/testing/pooler.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { testServer } from '#server/core/testing/server.ts';
import { connect, isTransient } from './db.ts';
import { listen } from './listen.ts';

const db = await testDatabase();
afterAll(() => db[Symbol.asyncDispose]());
const log = openLog('silent');
const refused = /has the role ".+" instead of "bursar_(app|worker)"/;

const settings = { connections: 2, statementTimeoutMs: 5_000, onLostConnection: () => undefined };

test('a connection is refused if a pooler dropped its role', async () => {
  await using pooler = await openPooler(db.url);
  const { database } = connect({ ...settings, url: pooler.url, role: 'bursar_app' });
  const query = sql`select 1`.execute(database);
  await expect(query).rejects.toThrow(refused);
  expect(isTransient(await query.catch((error: unknown) => error))).toBe(false);
  await database.destroy();
});

test('every new connection is checked, not only the first', async () => {
  await using pooler = await openPooler(db.url);
  pooler.dropsOptions = false;
  const { database } = connect({ ...settings, url: pooler.url, role: 'bursar_app' });
  const held = Promise.withResolvers<void>();
  const first = database.transaction().execute(async (tx) => {
    await sql`select 1`.execute(tx);
    pooler.dropsOptions = true;
    await expect(sql`select 1`.execute(database)).rejects.toThrow(refused);
    held.resolve();
  });
  await Promise.all([first, held.promise]);
  await sql`select 1`.execute(database);
  await database.destroy();
});

test('the queue and the event listener refuse such a connection too', async () => {
  await using pooler = await openPooler(db.url);
  const queue = startQueue({ url: pooler.url, database: db.worker, log }, []);
  await expect(queue).rejects.toThrow(refused);
  await expect(openTasks({ url: pooler.url, role: 'bursar_app', log }, [])).rejects.toThrow(refused);
  const handlers = { onMessage: () => undefined, onReconnect: () => undefined, onLostConnection: () => undefined };
  await expect(listen({ url: pooler.url, role: 'bursar_app', channel: 'bursar' }, handlers)).rejects.toThrow(refused);
});

test('the API and the worker do not start on such connections, and log the reason', async () => {
  await using pooler = await openPooler(db.url);
  const environment = testVariables(pooler.url, { LOG_LEVEL: 'info' });
  for (const program of ['main.ts', 'worker.ts'] as const) {
    const { code, stdout } = await startProgram({ program, environment }).ended;
    expect(code).toBe(1);
    expect(stdout).toContain('a connection pooler may have dropped');
  }
});

test('a running API is not ready once its new connections lose their role', async () => {
  await using pooler = await openPooler(db.url);
  pooler.dropsOptions = false;
  await using server = await testServer(pooler.url);
  expect((await server.call('GET', '/api/health/ready')).status).toBe(200);
  pooler.dropsOptions = true;
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and client_port is not null
      and application_name = ''`.execute(db.owner);
  const { status, json } = await server.call('GET', '/api/health/ready');
  expect({ status, code: json['code'] }).toEqual({ status: 503, code: 'NotReady' });
});
