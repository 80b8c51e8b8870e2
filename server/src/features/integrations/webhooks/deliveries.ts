import type { DeliveryState } from 'contract/integrations-webhooks.ts';
import { recordAudit } from '#server/core/audit/audit.ts';
import type { Actor } from '#server/core/auth/sessions.ts';
import type { Db, Tx } from '#server/core/db/db.ts';
import { announce } from '#server/core/events/events.ts';
import { selectBounds, selectEvents } from '#server/core/outbox/queries.ts';
import { isGenuine } from '#server/core/outbox/seal.ts';
import { Refusal } from '#server/core/refusal.ts';
import {
  arrangeHeads,
  resetDelivery,
  selectAttempts,
  selectDeliveries,
  selectDelivery,
  selectEventOf,
} from './delivery-queries.ts';
import { activeWebhook } from './service.ts';
import { hasWebhook } from './webhook-queries.ts';

const eventsByDefault = 100;

/**
 * Reads events after a cursor. An event whose transaction commits later always has a larger number. A forged one is left
 * out, so a page can be shorter than its limit.
 */
export async function listEvents(
  db: Db,
  { after = 0n, limit = eventsByDefault }: { after?: bigint | undefined; limit?: number | undefined },
) {
  const found = await selectEvents(db, { after, limit: limit + 1 });
  const page = found.slice(0, limit);
  const { oldest } = await selectBounds(db);
  const cursor = page.at(-1)?.seq ?? after;
  return { events: page.filter(isGenuine), cursor, hasMore: found.length > limit, oldest };
}

const deliveriesInPage = 50;

type Page = { id: string; state?: DeliveryState | undefined; before?: bigint | undefined };

/** The log of a removed webhook stays readable. */
export async function listDeliveries(db: Db, { id, state, before }: Page) {
  if (!(await hasWebhook(db, id))) throw new Refusal('WebhookNotFound');
  const found = await selectDeliveries(db, { endpointId: id, state, before, limit: deliveriesInPage + 1 });
  const deliveries = found.slice(0, deliveriesInPage);
  return { deliveries, olderThan: found.length > deliveriesInPage ? (deliveries.at(-1)?.seq ?? null) : null };
}

export async function readDelivery(db: Db, id: string) {
  const delivery = await selectDelivery(db, id);
  const event = await selectEventOf(db, id);
  if (!delivery || !event) throw new Refusal('DeliveryNotFound');
  return { delivery, event, attempts: await selectAttempts(db, id) };
}

/** Sends one event again, with all its attempts. It waits for an earlier event of its subject that is pending. */
export async function retryDelivery(tx: Tx, { actor, id }: { actor: Actor; id: string }) {
  const found = await selectDelivery(tx, id);
  if (!found) throw new Refusal('DeliveryNotFound');
  const { endpointId, type, seq, state } = found;
  await activeWebhook(tx, endpointId);
  await resetDelivery(tx, id);
  await arrangeHeads(tx, endpointId);
  await announce(tx, { feature: 'integrations', id: endpointId });
  const details = { delivery: id, type, seq: String(seq), before: { state } };
  await recordAudit(tx, { actorId: actor.id, action: 'integrations.retry-delivery', subjectId: endpointId, details });
  const delivery = await selectDelivery(tx, id);
  if (!delivery) throw new Error(`The delivery ${id} is gone from the transaction that changed it.`);
  return { delivery };
}
