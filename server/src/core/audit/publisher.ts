import type { Database } from '#server/core/db/db.ts';
import type { Log } from '#server/core/log.ts';
import { type Publishing, publishHead } from './head.ts';

const everyMs = 60_000;
/** A new log is not vouched for until its first head, so that one follows the first row soon. */
const untilFirstMs = 5_000;

/**
 * Publishes the head of the audit log once a minute until `stop`, by a timer of this process, so that someone who can
 * change the schedules of the queue cannot switch it off. Each worker does it; the second one finds nothing to publish.
 */
export async function startPublisher(database: Database, publishing: Publishing, log: Log) {
  let timer: NodeJS.Timeout | undefined;
  let pending = Promise.resolve();
  let isStopping = false;
  const publish = async () => {
    const isPublished = await publishHead(database, publishing).catch((error: unknown) => {
      log.error({ job: 'audit.publish-head', error }, 'failed');
      return true;
    });
    if (isStopping) return;
    const next = () => {
      pending = publish();
    };
    timer = setTimeout(next, isPublished ? everyMs : untilFirstMs);
  };
  await publish();
  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      await pending;
    },
  };
}
