import { sql } from 'kysely';
import { fromKysely, PgBoss, type Queue } from 'pg-boss';
import { runQuery, type Database, type Db, type Tx } from '#server/core/db/db.ts';
import { type ProcessRole, refuseOtherRolesThan } from '#server/core/db/roles.ts';
import type { Log } from '#server/core/log.ts';

/** The feature, a dot, and what is done. */
type Name = `${string}.${string}`;

/** Something the worker does again and again. It may run twice or late: it must not mind. */
export type Job = {
  name: Name;
  cron: string;
  run: (database: Database) => Promise<void>;
};

/** A task as those know it who ask for it. */
export type ErrandName = {
  name: Name;
  /** Tried again for as long as it fails or its process dies: whether to give up is decided where the row is. */
  unending?: boolean;
};

/** Something the worker does because it was asked to, for the row with that id. It may run twice: it must not mind. */
export type Task = ErrandName & {
  /** So many at a time in each process. */
  atOnce: number;
  /** Stopped by the signal it throws, and goes on elsewhere. Where the reason is not `ShuttingDown` it has failed. */
  run: (id: string, signal: AbortSignal) => Promise<void>;
};

/** Why a task is stopped whose process is asked to end. */
export class ShuttingDown extends Error {}

/** Asks for a task in the transaction that makes its row: there is never one without the other. */
export type Enqueue = (tx: Tx, task: Name, id: string) => Promise<void>;

export type QueueSettings = { url: string; database: Database; log: Log };

const longestErrandSeconds = 6 * 3600;

/** The name under which the connections of a worker are known to PostgreSQL. */
export const queueConnection = 'bursar-queue';

/** pg-boss hands its options to the pool of `pg`, which calls `onConnect` before it uses a connection. */
const connectionAs = (role: ProcessRole, url: string) => ({
  connectionString: url,
  options: `-c role=${role}`,
  ...refuseOtherRolesThan(role),
});

/**
 * Workers are notified when a transaction that enqueued something commits (LISTEN/NOTIFY). They also poll, because
 * nothing notifies them of a retry that another process left behind. An unending task is polled for more often: it goes
 * on elsewhere soon after its process died. A worker that could not start to listen polls every two seconds, the default
 * of pg-boss.
 */
const pollSeconds = { job: 30, task: 10, unendingTask: 3 };
/** How long a scheduled job waits after a failure. Tasks wait as long as their queue says. */
const jobRetrySeconds = 2;

/** The only door to the queue: what is behind it could be exchanged. */
export async function startQueue({ url, database, log }: QueueSettings, jobs: Job[], tasks: Task[] = []) {
  const boss = new PgBoss({
    ...connectionAs('bursar_worker', url),
    application_name: queueConnection,
    max: 4,
    migrate: false,
    createSchema: false,
    reindex: false,
    // How long the task of a process that died lies before another takes it.
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
    // No job here waits for another one, so there is nothing to look for every five seconds.
    flowIntervalSeconds: 3600,
    useListenNotify: true,
  });
  logReports(boss, log);
  await boss.start();
  const stopping = new AbortController();
  const watching = { log, stopping: stopping.signal };
  for (const { name, cron, run } of jobs) {
    await prepareQueue(boss, name, {
      policy: 'singleton',
      retryLimit: 2,
      expireInSeconds: 300,
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
  for (const { name, atOnce, run, ...kind } of tasks) {
    await prepareTask(boss, { name, ...kind });
    const worker = {
      name,
      pollSeconds: kind.unending ? pollSeconds.unendingTask : pollSeconds.task,
      retrySeconds: retryOf(kind.unending).retryDelay,
      run: ({ data, signal }: TaskJob) =>
        logged(watching, name, () => run(data.id, AbortSignal.any([signal, stopping.signal]))),
    };
    for (let count = 0; count < atOnce; count += 1) await startWorker(boss, worker);
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
 * Runs one job at a time. A worker sleeps after each job, and any number of notifications wake it once: it has to be
 * told to look for another job, or a backlog would shrink by one job per poll.
 */
async function startWorker(boss: PgBoss, { name, pollSeconds: seconds, retrySeconds, run }: Worker) {
  const lookAgain = () => boss.notifyWorker(id);
  const id = await boss.work<TaskJob['data']>(name, { notifyPollingIntervalSeconds: seconds }, async ([job]) => {
    if (!job) return;
    try {
      await run(job);
      lookAgain();
    } catch (error) {
      // A little longer than the delay: it starts to count when the failure is stored.
      setTimeout(lookAgain, retrySeconds * 1_000 + 250).unref();
      throw error;
    }
  });
}

type Asking = { url: string; role: ProcessRole; log: Log };

/**
 * For whoever asks for tasks. It has a connection of its own: asking happens in a transaction, and one that waited for
 * a second connection from the same pool could wait for itself.
 */
export async function openTasks({ url, role, log }: Asking, tasks: readonly ErrandName[]) {
  const boss = new PgBoss({
    ...connectionAs(role, url),
    application_name: 'bursar-asking',
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

/** Whether a task for this row waits or is being run. One whose process died counts until that is noticed. */
export async function isEnqueued(db: Db, names: readonly Name[], id: string) {
  const found = await runQuery(
    db,
    sql`select from pgboss.job where name in (${sql.join(names)}) and data->>'id' = ${id}
      and state in ('created', 'retry', 'active') limit 1`,
  );
  return found.length > 0;
}

/** Whoever comes first makes the queue: asking does not wait for a worker to have been there. */
function prepareTask(boss: PgBoss, { name, unending }: ErrandName) {
  return prepareQueue(boss, name, {
    policy: 'standard',
    ...retryOf(unending),
    expireInSeconds: longestErrandSeconds,
    deleteAfterSeconds: 86_400,
  });
}

const retryOf = (unending = false) =>
  unending ? { retryLimit: 100_000, retryDelay: 1, heartbeatSeconds: 10 } : { retryLimit: 2, retryDelay: 2 };

async function prepareQueue(boss: PgBoss, name: Name, options: Omit<Queue, 'name'>) {
  await boss.createQueue(name, { ...options, notify: true });
  // createQueue does not change a queue that exists: one that an earlier version made does not notify yet.
  const queue = await boss.getQueue(name);
  if (!queue?.notify) await boss.updateQueue(name, { notify: true });
}

/** pg-boss reports plain objects, which the log does not write. */
function logReports(boss: PgBoss, log: Log) {
  boss.on('error', ({ message, stack }) => {
    log.error({ error: Object.assign(new Error(message), { stack }) }, 'the queue reports an error');
  });
  // Above all that it cannot listen and polls instead.
  boss.on('warning', ({ message }) => {
    log.warn({ error: new Error(message) }, 'the queue reports a warning');
  });
}

type Watching = { log: Log; stopping: AbortSignal };

async function logged({ log, stopping }: Watching, job: Name, run: () => Promise<void>) {
  await run().catch((error: unknown) => {
    if (stopping.aborted) log.info({ job }, 'put off');
    else log.error({ job, error }, 'failed');
    throw error;
  });
  log.info({ job }, 'done');
}
