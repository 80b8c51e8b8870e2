import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { afterAll, expect, test } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { statementsDuring } from '#server/core/testing/statements.ts';
import { eventually } from '#server/core/testing/stream.ts';
import { installQueue } from './install.ts';
import { type Task, type Job, openTasks, startQueue } from './queue.ts';

const db = await testDatabase();
const log = openLog('silent');

/** Creates queues as an earlier version of the product did. */
const owner = new PgBoss({
  connectionString: db.url,
  application_name: 'bursar-owner',
  max: 1,
  supervise: false,
  schedule: false,
  migrate: false,
});
await owner.start();
const earlierQueues = ['tickets.earlier-task', 'tickets.earlier-job'];
for (const name of earlierQueues) await owner.createQueue(name, { notify: false });
await installQueue(db.url);

const started: { id: string; at: number }[] = [];
const startsOf = (id: string) => started.filter((one) => one.id === id);
const tasks: Task[] = [
  {
    name: 'tickets.deliver',
    atOnce: 1,
    run: async (id) => {
      started.push({ id, at: performance.now() });
      if (id === 'fails-once' && startsOf(id).length === 1) throw new Error('Failed on purpose.');
    },
  },
  { name: 'tickets.earlier-task', atOnce: 2, run: async () => undefined },
];
const jobs: Job[] = [{ name: 'tickets.earlier-job', cron: '0 3 * * *', run: async () => undefined }];

const { enqueue, stop: stopEnqueueing } = await openTasks({ url: db.url, role: 'bursar_app', log }, tasks);
const notifiesAfterEnqueueing = await notifyingQueues();
const queue = await startQueue({ url: db.url, database: db.worker, log }, jobs, tasks);

afterAll(async () => {
  await owner.stop({ graceful: false });
  await stopEnqueueing();
  await queue.stop();
  await eventually(async () => {
    const { rows } = await sql`select from pg_stat_activity where datname = current_database()
      and application_name in ('bursar-queue', 'bursar-enqueue', 'bursar-owner')`.execute(db.owner);
    return rows.length === 0;
  }, 20_000);
  await db[Symbol.asyncDispose]();
});

const deliver = (...ids: string[]) =>
  db.database.transaction().execute(async (tx) => {
    for (const id of ids) await enqueue(tx, 'tickets.deliver', id);
  });

async function notifyingQueues() {
  const { rows } = await sql<{ name: string }>`select name from pgboss.queue where notify order by name`.execute(
    db.owner,
  );
  return rows.map(({ name }) => name);
}

test('an idle worker rarely polls the database', async () => {
  const statements = await statementsDuring(() => wait(4_000));
  const polls = statements.filter((text) => text.includes(`j.name = 'tickets.`));
  // Four workers: three for tasks, one for a job.
  expect(polls.length).toBeLessThanOrEqual(4);
});

test('a task starts as soon as its transaction is committed', async () => {
  for (const id of ['one', 'two', 'three']) {
    await deliver(id);
    const committedAt = performance.now();
    const [{ at } = { at: Number.POSITIVE_INFINITY }] = await eventually(() => startsOf(id).length > 0 && startsOf(id));
    expect(at - committedAt).toBeLessThan(1_000);
    // Wait until the worker sleeps again, so that the next task does not find it awake by chance.
    await wait(300);
  }
});

test('tasks that one transaction enqueued start one after another, without waiting for a poll', async () => {
  const ids = ['first', 'second', 'third', 'fourth', 'fifth'];
  await deliver(...ids);
  await eventually(() => ids.every((id) => startsOf(id).length === 1), 2_000);
});

test('a task that failed is tried again after its delay, without waiting for a poll', async () => {
  await deliver('fails-once');
  const [first, second] = await eventually(() => startsOf('fails-once').length === 2 && startsOf('fails-once'), 4_000);
  expect(Number(second?.at) - Number(first?.at)).toBeGreaterThan(1_900);
});

test('a task that is enqueued while no worker listens starts when the worker listens again', async () => {
  const { rows } = await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
    and application_name = 'bursar-queue' and query ~* '^(listen|select exists .*pg_listening_channels)'`.execute(
    db.owner,
  );
  expect(rows).toHaveLength(1);
  await deliver('unheard');
  await eventually(() => startsOf('unheard').length === 1, 4_000);
});

test('the migration switches existing queues to notifications', async () => {
  expect(notifiesAfterEnqueueing).toEqual(['tickets.deliver', ...earlierQueues.toSorted()]);
});
