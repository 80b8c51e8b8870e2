import { sql } from 'kysely';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openLog } from '#server/core/log.ts';
import { testDatabase } from '#server/core/testing/database.ts';
import { installQueue } from './install.ts';
import { type Job, openTasks, startQueue, type Task } from './queue.ts';

const db = await testDatabase();
const log = openLog('silent');
const job: Job = { name: 'tickets.note', cron: '0 3 * * *', run: async () => undefined };
const task: Task = { name: 'tickets.deliver', atOnce: 1, run: async () => undefined };
const { enqueue, stop } = await openTasks({ url: db.url, role: 'bursar_app', log }, [task]);
afterAll(async () => {
  await stop();
  await db[Symbol.asyncDispose]();
});

const processes = { app: db.database, worker: db.worker };
const inProcess = (name: keyof typeof processes, statement: string) =>
  processes[name].transaction().execute((tx) => sql.raw(statement).execute(tx));
const denied = { code: '42501' };

const planted = (status = 'pending') =>
  `insert into pgboss.bam (name, version, status, table_name, command)
   values ('index', 43, '${status}', 'job_common', 'alter role bursar_app superuser')`;

const forBoth = [
  planted(),
  `update pgboss.bam set status = 'pending'`,
  'delete from pgboss.bam',
  'update pgboss.version set version = 25',
  'insert into pgboss.version values (44)',
  `update pgboss.queue set retry_limit = 0, table_name = 'bam'`,
  'delete from pgboss.queue',
  `select pgboss.delete_queue('tickets.deliver')`,
  `select pgboss.job_table_run_async('index', 43, 'select 1')`,
  `select pgboss.job_table_run('drop table pgboss.job')`,
  `insert into pgboss.subscription values ('run', 'tickets.deliver')`,
  `insert into pgboss.job_dependency select gen_random_uuid(), gen_random_uuid()`,
  'truncate pgboss.job_common',
  'create table pgboss.mine ()',
];
const forApp = [
  `insert into pgboss.schedule (name, cron) values ('tickets.deliver', '* * * * *')`,
  `update pgboss.schedule set cron = '* * * * *'`,
  'delete from pgboss.schedule',
  `update pgboss.job_common set state = 'completed'`,
  'delete from pgboss.job_common',
  'update pgboss.version set cron_on = now()',
];

test.each(forBoth)('neither process may: %s', async (statement) => {
  await expect(inProcess('app', statement)).rejects.toMatchObject(denied);
  await expect(inProcess('worker', statement)).rejects.toMatchObject(denied);
});

test.each(forApp)('the API may not: %s', async (statement) => {
  await expect(inProcess('app', statement)).rejects.toMatchObject(denied);
});

test('neither process has a right on another table or function of the queue', async () => {
  const { rows } = await sql<{ right: string }>`
    select role || ' ' || privilege_type || ' ' || table_name as right
    from (values ('bursar_app'), ('bursar_worker'), ('bursar_auditor'), ('PUBLIC')) as roles(role)
    join information_schema.role_table_grants on grantee = role and table_schema = 'pgboss'
    union all
    select acl.grantee::regrole || ' EXECUTE ' || proname from pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner))) as acl
    where pronamespace = 'pgboss'::regnamespace and acl.grantee <> proowner
    order by 1`.execute(db.owner);
  expect(rows.map(({ right }) => right)).toEqual([
    'bursar_app EXECUTE create_queue',
    'bursar_app EXECUTE job_now',
    'bursar_app INSERT job_common',
    'bursar_app INSERT queue',
    'bursar_app SELECT job',
    'bursar_app SELECT job_common',
    'bursar_app SELECT queue',
    'bursar_app SELECT version',
    'bursar_worker DELETE job',
    'bursar_worker DELETE job_common',
    'bursar_worker DELETE job_dependency',
    'bursar_worker DELETE schedule',
    'bursar_worker EXECUTE create_queue',
    'bursar_worker EXECUTE job_now',
    'bursar_worker INSERT job',
    'bursar_worker INSERT job_common',
    'bursar_worker INSERT queue',
    'bursar_worker INSERT schedule',
    'bursar_worker SELECT job',
    'bursar_worker SELECT job_common',
    'bursar_worker SELECT job_dependency',
    'bursar_worker SELECT queue',
    'bursar_worker SELECT schedule',
    'bursar_worker SELECT version',
    'bursar_worker UPDATE job',
    'bursar_worker UPDATE job_common',
    'bursar_worker UPDATE schedule',
  ]);
});

test('a migration revokes the rights that an earlier version granted', async () => {
  await sql.raw('grant all on all tables in schema pgboss to bursar_app, bursar_worker').execute(db.owner);
  await installQueue(db.url);
  await expect(inProcess('app', planted())).rejects.toMatchObject(denied);
  await expect(inProcess('worker', planted())).rejects.toMatchObject(denied);
});

test('a migration refuses a planted command before pg-boss runs it', async () => {
  await using own = await testDatabase();
  await sql.raw(planted()).execute(own.owner);
  await expect(installQueue(own.url)).rejects.toThrow(
    /^pgboss\.bam holds a command that pg-boss did not write, with the id /,
  );
  const { rows } = await sql`select status from pgboss.bam`.execute(own.owner);
  expect(rows).toEqual([{ status: 'pending' }]);
});

test('a migration refuses a failed command, which pg-boss would try again, and not a completed one', async () => {
  await using own = await testDatabase();
  await sql.raw(planted('completed')).execute(own.owner);
  await installQueue(own.url);
  await sql.raw(planted('failed')).execute(own.owner);
  await expect(installQueue(own.url)).rejects.toThrow('a command that pg-boss did not write');
});

test('a migration accepts the commands that pg-boss itself leaves for later', async () => {
  await using own = await testDatabase();
  await sql`select pgboss.job_table_run_async('source_root_index_build', 43,
    'CREATE INDEX CONCURRENTLY job_i12 ON pgboss.job (source_root_id)
       WHERE source_root_id IS NOT NULL')`.execute(own.owner);
  await sql`drop index pgboss.job_common_i12`.execute(own.owner);
  await installQueue(own.url);
});

test('a migration refuses a queue with a table of its own', async () => {
  await using own = await testDatabase();
  await sql`insert into pgboss.queue (name, policy, retry_limit, retry_delay, retry_backoff, expire_seconds,
      retention_seconds, deletion_seconds, partition, table_name)
    values ('x', 'standard', 0, 0, false, 1, 1, 1, true, 'bam')`.execute(own.owner);
  await expect(installQueue(own.url)).rejects.toThrow('a queue with a table of its own, "x"');
});

test('a schedule that a stolen worker login planted for a job is removed by the next worker', async () => {
  const first = await startQueue({ url: db.url, database: db.worker, log }, [job]);
  await first.stop();
  await inProcess('worker', `update pgboss.schedule set cron = '* * * * *', data = '{"id": "1"}'`);
  await inProcess(
    'worker',
    `insert into pgboss.schedule (name, key, cron) values ('tickets.note', 'mine', '* * * * *')`,
  );
  const next = await startQueue({ url: db.url, database: db.worker, log }, [job]);
  onTestFinished(() => next.stop());
  const { rows } = await sql`select name, key, cron, data from pgboss.schedule`.execute(db.owner);
  expect(rows).toEqual([{ name: 'tickets.note', key: '', cron: '0 3 * * *', data: null }]);
}, 30_000);

test('the API enqueues a task', async () => {
  await db.database.transaction().execute((tx) => enqueue(tx, task.name, 'one'));
  const { rows } = await sql`select data from pgboss.job where name = ${task.name}`.execute(db.owner);
  expect(rows).toEqual([{ data: { id: 'one' } }]);
});
