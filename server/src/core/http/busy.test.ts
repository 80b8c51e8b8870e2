import { sql } from 'kysely';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testEnvironment } from '#server/core/testing/environment.ts';
import { addAdmin } from '#server/core/testing/server.ts';
import { eventually } from '#server/core/testing/stream.ts';

const { db, server } = await testEnvironment({ DATABASE_CONNECTIONS: '2' });
await addAdmin(db.database, { username: 'ann' });
const token = await server.signIn('ann');
const list = () => server.call('GET', '/api/tickets/all', { token });

/** Locks the table until the work is done. */
const whileBlocked = <T>(work: () => Promise<T>) =>
  db.owner.transaction().execute(async (tx) => {
    await sql`lock table ticket_count in access exclusive mode`.execute(tx);
    return work();
  });

function expectBusy({ status, json, headers }: Awaited<ReturnType<typeof list>>) {
  expect(status).toBe(503);
  expect(json['code']).toBe('Busy');
  expect(json['error']).toBe('The server is busy. Please try again shortly.');
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

test('a statement that takes longer than five seconds fails with 503 and Retry-After', async () => {
  const started = performance.now();
  const answer = await whileBlocked(list);
  expectBusy(answer);
  expect(performance.now() - started).toBeGreaterThan(4_500);
  expect((await list()).status).toBe(200);
});

test('calls beyond the queue limit get 503 with Retry-After, and the others are served', async () => {
  const { early, answers } = await whileBlocked(async () => {
    const settled: Awaited<ReturnType<typeof list>>[] = [];
    const all = Array.from({ length: 160 }, async () => {
      const answer = await list();
      settled.push(answer);
      return answer;
    });
    await eventually(() => settled.length > 20);
    return { early: [...settled], answers: all };
  });
  expect(early.length).toBeGreaterThan(20);
  for (const answer of early) expectBusy(answer);
  const later = (await Promise.all(answers)).filter((answer) => !early.includes(answer));
  expect(later.filter(({ status }) => status === 200).length).toBeGreaterThan(50);
  for (const answer of later) expect([200, 503]).toContain(answer.status);
  expect((await list()).status).toBe(200);
});

test('connections that the database closes are replaced', async () => {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(db.owner);
  await wait(200);
  const statuses = [(await list()).status, (await list()).status, (await list()).status];
  expect(statuses.at(-1)).toBe(200);
  for (const status of statuses) expect([200, 503]).toContain(status);
});

test('a connection that is lost under load fails at most its own calls, never the process', async () => {
  for (let round = 0; round < 10; round += 1) {
    const body = { type: 'Under load', description: 'In a transaction of several statements' };
    const calls = Array.from({ length: 30 }, () => server.call('POST', '/api/tickets', { token, body }));
    await wait(20);
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db.owner);
    for (const { status } of await Promise.all(calls)) expect([200, 503]).toContain(status);
  }
  await expect.poll(async () => (await list()).status, { timeout: 10_000 }).toBe(200);
});

test('the liveness check succeeds while the process is busy', async () => {
  const alive = await whileBlocked(async () => {
    const waiting = Array.from({ length: 130 }, list);
    await wait(1_000);
    const answer = await server.call('GET', '/api/health/live');
    return { answer, waiting };
  });
  expect(alive.answer.status).toBe(200);
  await Promise.all(alive.waiting);
});
