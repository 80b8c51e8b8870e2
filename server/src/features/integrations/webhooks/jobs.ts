import { failingHours } from 'contract/integrations-webhooks.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import type { Job } from '#server/core/queue/queue.ts';
import { pauseFailing } from './webhook-queries.ts';

export const webhookJobs: Job[] = [
  {
    name: 'integrations.pause-failing',
    cron: '*/5 * * * *',
    run: (database) => database.transaction().execute(pauseFailingWebhooks),
  },
];

/** Pauses the webhooks whose deliveries have all failed for a day. Home and the panel say so until one is resumed. */
async function pauseFailingWebhooks(tx: Tx) {
  for (const { id, url, failingSince } of await pauseFailing(tx, failingHours)) {
    await announce(tx, { feature: 'integrations', id });
    const details = { url, failingSince: failingSince.toISOString() };
    await recordAudit(tx, { actorId: null, action: 'integrations.pause-failing', subjectId: id, details });
  }
}
