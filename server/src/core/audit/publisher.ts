import type { Database } from '#server/core/db/db.ts';
import type { Log } from '#server/core/log.ts';
import { type Publishing, publishHead } from './head.ts';

const everyMs = 60_000;

/**
 * Publishes the head of the audit log once a minute until `stop`, by a timer of this process: who can change the
 * schedules of the queue could otherwise switch it off. Each worker does it; the second one finds nothing to publish.
 */
export async function startPublisher(database: Database, publishing: Publishing, log: Log) {
  const publish = () =>
    publishHead(database, publishing).catch((error: unknown) =>
      log.error({ job: 'audit.publish-head', error }, 'failed'),
    );
  let pending = publish();
  await pending;
  const timer = setInterval(() => {
    pending = pending.then(publish);
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await pending;
    },
  };
}
