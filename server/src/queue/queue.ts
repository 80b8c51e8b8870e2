import { fromKysely, PgBoss } from 'pg-boss';
import { type Database, type Pool, plainQueries, type Tx } from '#server/db/db.ts';
import type { Log } from '#server/http/log.ts';

/** The room, a dot, and what is done. */
type Name = `${string}.${string}`;

/** Something the worker does again and again. It may run twice or late: it must not mind. */
export type Job = {
  name: Name;
  cron: string;
  run: (database: Database) => Promise<void>;
};

/** Something the worker does because it was asked to, for the row with that id. It may run twice: it must not mind. */
export type Errand = {
  name: Name;
  /** So many at a time in each process. */
  atOnce: number;
  /** Stopped by the signal it throws, and goes on elsewhere. Where the reason is not `PutOff` it has failed. */
  run: (id: string, signal: AbortSignal) => Promise<void>;
};

/** Why an errand is stopped whose process is asked to end. */
export class PutOff extends Error {}

/** Asks for an errand in the transaction that makes its row: there is never one without the other. */
export type AskFor = (tx: Tx, errand: Name, id: string) => Promise<void>;

export type QueueSettings = { url: string; database: Database; log: Log };

const longestErrandSeconds = 6 * 3600;

/** The only door to the queue: what is behind it could be exchanged. */
export async function startQueue({ url, database, log }: QueueSettings, jobs: Job[], errands: Errand[] = []) {
  const boss = new PgBoss({
    connectionString: url,
    options: '-c role=bursar_worker',
    application_name: 'bursar-queue',
    max: 4,
    migrate: false,
    createSchema: false,
    reindex: false,
  });
  logErrors(boss, log);
  await boss.start();
  const stopping = new AbortController();
  for (const { name, cron, run } of jobs) {
    await boss.createQueue(name, {
      policy: 'singleton',
      retryLimit: 2,
      expireInSeconds: 300,
      deleteAfterSeconds: 86_400,
    });
    await boss.work(name, () => logged({ log, stopping: stopping.signal }, name, () => run(database)));
    await boss.schedule(name, cron);
  }
  for (const { name, atOnce, run } of errands) {
    await prepareErrand(boss, name);
    await boss.work<{ id: string }>(name, { localConcurrency: atOnce, pollingIntervalSeconds: 0.5 }, async (asked) => {
      for (const { data, signal } of asked) {
        await logged({ log, stopping: stopping.signal }, name, () =>
          run(data.id, AbortSignal.any([signal, stopping.signal])),
        );
      }
    });
  }
  const stop = async () => {
    stopping.abort(new PutOff());
    await boss.stop({ graceful: true, timeout: 20_000 });
  };
  return { stop };
}

/** For the processes that ask for errands and run none. */
export async function openErrands({ pool, log }: { pool: Pool; log: Log }, names: readonly Name[]) {
  const { query } = plainQueries(pool);
  const boss = new PgBoss({
    db: { executeSql: (text, values) => query({ text, ...(values && { values }) }) },
    supervise: false,
    schedule: false,
    migrate: false,
    createSchema: false,
  });
  logErrors(boss, log);
  await boss.start();
  for (const name of names) await prepareErrand(boss, name);
  const askFor: AskFor = async (tx, errand, id) => {
    await boss.send(errand, { id }, { db: fromKysely(tx) });
  };
  return { askFor, stop: () => boss.stop({ graceful: false, close: false }) };
}

/** Whoever comes first makes the queue: asking does not wait for a worker to have been there. */
function prepareErrand(boss: PgBoss, name: Name) {
  return boss.createQueue(name, {
    policy: 'standard',
    retryLimit: 2,
    retryDelay: 2,
    expireInSeconds: longestErrandSeconds,
    deleteAfterSeconds: 86_400,
  });
}

/** It reports plain objects, of which the log would say nothing. */
function logErrors(boss: PgBoss, log: Log) {
  boss.on('error', ({ message, stack }) => {
    log.error({ error: Object.assign(new Error(message), { stack }) }, 'the queue reports an error');
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
