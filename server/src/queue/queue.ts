import { PgBoss } from 'pg-boss';
import type { Database } from '#server/db/db.ts';
import type { Log } from '#server/http/log.ts';

/** Something the worker does again and again. It may run twice or late: it must not mind. */
export type Job = {
  /** The room, a dot, and what is done. */
  name: `${string}.${string}`;
  cron: string;
  run: (database: Database) => Promise<void>;
};

export type QueueSettings = { url: string; database: Database; log: Log };

/** The only door to the queue: what is behind it could be exchanged. */
export async function startQueue({ url, database, log }: QueueSettings, jobs: Job[]) {
  const boss = new PgBoss({
    connectionString: url,
    options: '-c role=bursar_worker',
    application_name: 'bursar-queue',
    max: 4,
    migrate: false,
    createSchema: false,
    reindex: false,
  });
  // It reports plain objects, of which the log would say nothing.
  boss.on('error', ({ message, stack }) => {
    log.error({ error: Object.assign(new Error(message), { stack }) }, 'the queue reports an error');
  });
  await boss.start();
  for (const { name, cron, run } of jobs) {
    await boss.createQueue(name, {
      policy: 'singleton',
      retryLimit: 2,
      expireInSeconds: 300,
      deleteAfterSeconds: 86_400,
    });
    await boss.work(name, async () => {
      await run(database).catch((error: unknown) => {
        log.error({ job: name, error }, 'failed');
        throw error;
      });
      log.info({ job: name }, 'done');
    });
    await boss.schedule(name, cron);
  }
  return { stop: () => boss.stop({ graceful: true, timeout: 20_000 }) };
}
