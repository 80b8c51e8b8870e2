import { sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { afterAll, expect, test } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { testVariables } from '#server/core/testing/config.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { startProgram } from '#server/core/testing/process.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { type Task, type Job, openTasks, ShuttingDown, startQueue } from './queue.ts';

const db = await testDatabase();
const log = openLog('silent');

const runs: string[] = [];
let failures = 1;
const jobs: Job[] = [
  {
    name: 'tickets.note',
    cron: '0 3 * * *',
    run: async (database) => {
      const { rows } = await sql<{ who: string }>`select current_user::text as who`.execute(database);
      runs.push(rows[0]?.who ?? '');
    },
  },
  {
    name: 'tickets.stumble',
    cron: '0 3 * * *',
    run: async () => {
      failures -= 1;
      if (failures >= 0) throw new Error('Stumbled.');
      runs.push('up again');
    },
  },
];
const done: string[] = [];
const reasons: unknown[] = [];
const tasks: Task[] = [
  {
    name: 'tickets.deliver',
    atOnce: 1,
    run: async (id) => {
      done.push(id);
      if (id === 'stumbles' && done.filter((one) => one === id).length === 1) throw new Error('Stumbled.');
    },
  },
  {
    name: 'tickets.linger',
    atOnce: 1,
    run: (id, signal) =>
      new Promise((_, reject) => {
        done.push(id);
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(new Error('Put off.'));
        });
      }),
  },
];
const { enqueue, stop: stopEnqueueing } = await openTasks({ url: db.url, role: 'bursar_app', log }, tasks);
const queue = await startQueue({ url: db.url, database: db.worker, log }, jobs, tasks);

/** Sends a job now, because its schedule may be hours away. */
const sender = new PgBoss({
  connectionString: db.url,
  application_name: 'bursar-asker',
  max: 1,
  supervise: false,
  schedule: false,
  migrate: false,
});
await sender.start();
afterAll(async () => {
  await sender.stop({ graceful: false });
  await stopEnqueueing();
  await queue.stop();
  // pg-boss closes its connections a little after it stops, and dropping the database before that is an error.
  await eventually(async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database()
      and application_name in ('bursar-queue', 'bursar-enqueue', 'bursar-asker')`.execute(db.owner);
    return rows.length === 0;
  }, 20_000);
  await db[Symbol.asyncDispose]();
});

test('a job runs with the rights of the worker', async () => {
  await sender.send('tickets.note', {});
  await eventually(() => runs.includes('bursar_worker'), 15_000);
});

test('a job is stored with its schedule', async () => {
  const { rows } = await sql`select name, cron from pgboss.schedule order by name`.execute(db.owner);
  expect(rows).toEqual([
    { name: 'tickets.note', cron: '0 3 * * *' },
    { name: 'tickets.stumble', cron: '0 3 * * *' },
  ]);
});

test('a failed job is retried', async () => {
  await sender.send('tickets.stumble', {}, { retryDelay: 0 });
  await eventually(() => runs.includes('up again'), 15_000);
});

test('a task runs after its transaction commits, and never if it is rolled back', async () => {
  const undone = db.database.transaction().execute(async (tx) => {
    await enqueue(tx, 'tickets.deliver', 'undone');
    throw new Error('Changed my mind.');
  });
  await expect(undone).rejects.toThrow('Changed my mind.');
  await db.database.transaction().execute(async (tx) => {
    await enqueue(tx, 'tickets.deliver', 'kept');
    const { rows } = await sql<{ jobs: number }>`
      select count(*)::int as jobs from pgboss.job where name = 'tickets.deliver'`.execute(db.owner);
    expect(rows).toEqual([{ jobs: 0 }]);
  });
  await eventually(() => done.includes('kept'), 15_000);
  expect(done).not.toContain('undone');
});

test('a failed task is retried', async () => {
  await db.database.transaction().execute((tx) => enqueue(tx, 'tickets.deliver', 'stumbles'));
  await eventually(() => done.filter((one) => one === 'stumbles').length === 2, 20_000);
});

test('a task that is running when its worker stops is interrupted and waits for another worker', async () => {
  const leaving = await startQueue({ url: db.url, database: db.worker, log }, [], tasks);
  await db.database.transaction().execute((tx) => enqueue(tx, 'tickets.linger', 'first'));
  await db.database.transaction().execute((tx) => enqueue(tx, 'tickets.linger', 'second'));
  await eventually(() => done.includes('first') && done.includes('second'), 15_000);
  const started = performance.now();
  await leaving.stop();
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(reasons).toEqual([expect.any(ShuttingDown)]);
  const { rows } = await sql<{ state: string }>`
    select state::text from pgboss.job where name = 'tickets.linger' order by state`.execute(db.owner);
  expect(rows).toEqual([{ state: 'active' }, { state: 'retry' }]);
});

test('the worker’s role can use the tables of the queue but not alter them', async () => {
  const changed = db.worker.transaction().execute((tx) => sql`alter table pgboss.job add column x int`.execute(tx));
  await expect(changed).rejects.toMatchObject({ code: '42501' });
});

test('a failed job is logged with its error', async () => {
  await sql`revoke insert on audit_verification from bursar_worker`.execute(db.owner);
  const worker = startProgram({ program: 'worker.ts', environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
  await eventually(() => worker.said.stdout.includes('"working"'), 20_000);
  await sender.send('audit.verify-nightly', {});
  const lines = () => worker.said.stdout.split('\n').filter((line) => line.includes('audit.verify-nightly'));
  const line = await eventually(() => lines().find((one) => one.includes('"failed"')), 15_000);
  expect(JSON.parse(line)).toMatchObject({ level: 'error', job: 'audit.verify-nightly', error: { code: '42501' } });
  expect((await worker.stop()).code).toBe(0);
}, 60_000);

test('a queue that loses its connections logs the error and recovers', async () => {
  const worker = startProgram({ program: 'worker.ts', environment: testVariables(db.url, { LOG_LEVEL: 'info' }) });
  await eventually(() => worker.said.stdout.includes('"working"'), 20_000);
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'bursar-queue' and datname = current_database()`.execute(db.owner);
  await eventually(() => /queue reports an error/.test(worker.said.stdout), 15_000);
  expect(worker.said.stdout).toMatch(/"message":"[^"]*(terminat|connection)/i);
  await sender.send('counts.fold', {});
  await eventually(() => worker.said.stdout.includes('"job":"counts.fold","msg":"done"'), 20_000);
  expect((await worker.stop()).code).toBe(0);
}, 60_000);

test('the schedule of a job that no longer exists is removed', async () => {
  await using own = await testDatabase();
  const start = (name: Job['name']) =>
    startQueue({ url: own.url, database: own.worker, log }, [{ name, cron: '0 3 * * *', run: async () => undefined }]);
  const old = await start('tickets.old');
  await old.stop();
  const current = await start('tickets.current');
  const { rows } = await sql<{ name: string }>`select name from pgboss.schedule`.execute(own.owner);
  await current.stop();
  expect(rows).toEqual([{ name: 'tickets.current' }]);
}, 30_000);
