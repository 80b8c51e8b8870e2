import { sql } from 'kysely';
import { fromKysely, PgBoss, type Queue } from 'pg-boss';
import { runQuery, type Database, type Db, type Tx } from '#server/core/db/db.ts';
import { type ProcessRole, refuseOtherRolesThan } from '#server/core/db/roles.ts';
import type { Log } from '#server/core/log.ts';

/** The feature, a dot and the action. */
type Name = `${string}.${string}`;

/** Work that the worker runs on a schedule. It may run twice or late, so it must be idempotent. */
export type Job = {
  name: Name;
  cron: string;
  /** After this time it counts as lost and runs again, so it must be longer than the job takes; 5 minutes by default. */
  longestSeconds?: number;
  run: (database: Database) => Promise<void>;
};

/** The part of a task that a process needs to enqueue it. */
export type TaskQueue = {
  name: Name;
  /** Retried for as long as it fails or its process dies. The owner of the row decides when to give up. */
  unending?: boolean;
};

/** Work that a transaction enqueues for the row with that id. It may run twice, so it must be idempotent. */
export type Task = TaskQueue & {
  /** The number that each process runs concurrently. */
  atOnce: number;
  /** Throws when the signal aborts it, and is retried. It has failed unless the reason is `ShuttingDown`. */
  run: (id: string, signal: AbortSignal) => Promise<void>;
};

/** The abort reason of a task whose process is stopping. */
export class ShuttingDown extends Error {}

/** Enqueues a task in the transaction that writes its row, so that neither exists without the other. */
export type Enqueue = (tx: Tx, task: Name, id: string) => Promise<void>;

export type QueueSettings = { url: string; database: Database; log: Log };

const longestTaskSeconds = 6 * 3600;

/** The application name of a worker's connections in PostgreSQL. */
const queueConnection = 'bursar-queue';

/** pg-boss passes its options to the pool of `pg`, which calls `onConnect` before it uses a connection. */
const connectionAs = (role: ProcessRole, url: string) => ({
  connectionString: url,
  options: `-c role=${role}`,
  ...refuseOtherRolesThan(role),
});

/**
 * Workers are notified when a transaction that enqueued something commits (LISTEN/NOTIFY). They also poll, because
 * nothing notifies them of a retry that another process left behind. Unending tasks are polled more often, so that
 * another process continues them soon after theirs died. A worker that cannot listen polls every two seconds, the
 * default of pg-boss.
 */
const pollSeconds = { job: 60, task: 15, unendingTask: 3 };
/** The retry delay of a scheduled job. The delay of a task comes from its queue. */
const jobRetrySeconds = 2;

/** Starts the workers for the jobs and tasks. Only this folder imports pg-boss, so that it could be replaced. */
export async function startQueue({ url, database, log }: QueueSettings, jobs: Job[], tasks: Task[] = []) {
  const boss = new PgBoss({
    ...connectionAs('bursar_worker', url),
    application_name: queueConnection,
    max: 4,
    migrate: false,
    createSchema: false,
    reindex: false,
    // How often pg-boss looks for tasks of processes that died, so that another can take them.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    // No job depends on another one, so pg-boss need not check for that every five seconds.
    flowIntervalSeconds: 3600,
    useListenNotify: true,
  });
  logReports(boss, log);
  await boss.start();
  const stopping = new AbortController();
  const watching = { log, stopping: stopping.signal };
  for (const { name, cron, run, longestSeconds = 300 } of jobs) {
    await prepareQueue(boss, name, {
      policy: 'singleton',
      retryLimit: 2,
      expireInSeconds: longestSeconds,
      deleteAfterSeconds: 86_400,
    });
    await startWorker(boss, {
      name,
      pollSeconds: pollSeconds.job,
      retrySeconds: jobRetrySeconds,
      run: () => logged(watching, name, () => run(database)),
    });
    await boss.schedule(name, cron);
  }
  await removeOldSchedules(boss, jobs);
  for (const { name, atOnce, run, ...kind } of tasks) {
    await prepareTask(boss, { name, ...kind });
    const worker = {
      name,
      retrySeconds: retryOf(kind.unending).retryDelay,
      run: ({ data, signal }: TaskJob) =>
        logged(watching, name, () => run(data.id, AbortSignal.any([signal, stopping.signal]))),
    };
    for (let count = 0; count < atOnce; count += 1) {
      // One that polls often is enough to notice that another process died.
      const isUrgent = kind.unending && count === 0;
      await startWorker(boss, { ...worker, pollSeconds: isUrgent ? pollSeconds.unendingTask : pollSeconds.task });
    }
  }
  const stop = async () => {
    stopping.abort(new ShuttingDown());
    await boss.stop({ graceful: true, timeout: 20_000 });
  };
  return { stop };
}

type TaskJob = { data: { id: string }; signal: AbortSignal };

type Worker = {
  name: Name;
  pollSeconds: number;
  retrySeconds: number;
  run: (job: TaskJob) => Promise<void>;
};

/**
 * Runs one job at a time. A worker sleeps after each job, and any number of notifications wake it only once, so it
 * notifies itself after each job. Otherwise a backlog would shrink by one job per poll.
 */
async function startWorker(boss: PgBoss, { name, pollSeconds: seconds, retrySeconds, run }: Worker) {
  const fetchNext = () => boss.notifyWorker(id);
  const id = await boss.work<TaskJob['data']>(name, { notifyPollingIntervalSeconds: seconds }, async ([job]) => {
    if (!job) return;
    try {
      await run(job);
      fetchNext();
    } catch (error) {
      // A little longer than the retry delay, which starts when the failure is stored.
      setTimeout(fetchNext, retrySeconds * 1_000 + 250).unref();
      throw error;
    }
  });
}

type EnqueueSettings = { url: string; role: ProcessRole; log: Log };

/**
 * Opens a client that enqueues tasks. It has its own connection: enqueueing happens in a transaction, and waiting for a
 * second connection from the same pool could deadlock.
 */
export async function openTasks({ url, role, log }: EnqueueSettings, tasks: readonly TaskQueue[]) {
  const boss = new PgBoss({
    ...connectionAs(role, url),
    application_name: 'bursar-enqueue',
    max: 1,
    supervise: false,
    schedule: false,
    migrate: false,
    createSchema: false,
  });
  logReports(boss, log);
  await boss.start();
  for (const task of tasks) await prepareTask(boss, task);
  const enqueue: Enqueue = async (tx, task, id) => {
    await boss.send(task, { id }, { db: fromKysely(tx) });
  };
  return { enqueue, stop: () => boss.stop({ graceful: false }) };
}

/** Whether a task for this row is waiting or running. A task whose process died counts until pg-boss notices. */
export async function isEnqueued(db: Db, names: readonly Name[], id: string) {
  const found = await runQuery(
    db,
    sql`select from pgboss.job where name in (${sql.join(names)}) and data->>'id' = ${id}
      and state in ('created', 'retry', 'active') limit 1`,
  );
  return found.length > 0;
}

/** Creates the queue of a task if needed, so that tasks can be enqueued before a worker has ever started. */
function prepareTask(boss: PgBoss, { name, unending }: TaskQueue) {
  return prepareQueue(boss, name, {
    policy: 'standard',
    ...retryOf(unending),
    expireInSeconds: longestTaskSeconds,
    deleteAfterSeconds: 86_400,
  });
}

const retryOf = (unending = false) =>
  unending ? { retryLimit: 100_000, retryDelay: 1, heartbeatSeconds: 10 } : { retryLimit: 2, retryDelay: 2 };

/** Does not change an existing queue: a process has no right to. */
const prepareQueue = (boss: PgBoss, name: Name, options: Omit<Queue, 'name'>) =>
  boss.createQueue(name, { ...options, notify: true });

/**
 * pg-boss keeps schedules in the database, so a renamed or deleted job would stay scheduled without a worker. A job has
 * one schedule without a key and without data; any other was planted.
 */
async function removeOldSchedules(boss: PgBoss, jobs: readonly Job[]) {
  const current = new Set<string>(jobs.map(({ name }) => name));
  for (const { name, key } of await boss.getSchedules()) {
    if (!current.has(name) || key !== '') await boss.unschedule(name, key);
  }
}

/** pg-boss reports plain objects, and the log only writes instances of Error. */
function logReports(boss: PgBoss, log: Log) {
  boss.on('error', ({ message, stack }) => {
    log.error({ error: Object.assign(new Error(message), { stack }) }, 'the queue reports an error');
  });
  // The most important warning: it cannot listen and polls instead.
  boss.on('warning', ({ message }) => {
    log.warn({ error: new Error(message) }, 'the queue reports a warning');
  });
}

type Watching = { log: Log; stopping: AbortSignal };

async function logged({ log, stopping }: Watching, job: Name, run: () => Promise<void>) {
  await run().catch((error: unknown) => {
    if (stopping.aborted) log.info({ job }, 'interrupted by the shutdown');
    else log.error({ job, error }, 'failed');
    throw error;
  });
  log.info({ job }, 'done');
}
