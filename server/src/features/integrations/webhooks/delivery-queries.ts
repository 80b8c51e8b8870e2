import type { PlatformEvent } from 'contract/integrations-events.ts';
import type { Attempt, Delivery, DeliveryState } from 'contract/integrations-webhooks.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';
import { eventColumns } from '#server/core/outbox/queries.ts';

const columns = sql`
  delivery.id, delivery.event_seq as seq, event.id as "eventId", delivery.type, delivery.subject_id as "subjectId",
  delivery.state, delivery.attempts, delivery.due_at as "dueAt", event.at as "eventAt",
  last.status as "lastStatus", last.error as "lastError"`;

const joined = sql`
  webhook_delivery as delivery
  join platform_event as event on event.seq = delivery.event_seq
  left join lateral (
    select status, error from webhook_attempt where delivery_id = delivery.id order by no desc limit 1
  ) as last on true`;

type Page = { endpointId: string; state?: DeliveryState | undefined; before?: bigint | undefined; limit: number };

/** Returns the newest deliveries before an event. */
export const selectDeliveries = (db: Db, { endpointId, state, before, limit }: Page) =>
  runQuery<Delivery>(
    db,
    sql`select ${columns} from ${joined}
      where delivery.endpoint_id = ${endpointId}::uuid
        ${state === undefined ? sql`` : sql`and delivery.state = ${state}`}
        ${before === undefined ? sql`` : sql`and delivery.event_seq < ${before}`}
      order by delivery.event_seq desc limit ${limit}`,
  );

export async function selectDelivery(db: Db, id: string) {
  const [delivery] = await runQuery<Delivery & { endpointId: string }>(
    db,
    sql`select ${columns}, delivery.endpoint_id as "endpointId" from ${joined} where delivery.id = ${id}::uuid`,
  );
  return delivery;
}

export async function selectEventOf(db: Db, deliveryId: string) {
  const [event] = await runQuery<PlatformEvent>(
    db,
    sql`select ${eventColumns} from webhook_delivery as delivery
      join platform_event as event on event.seq = delivery.event_seq where delivery.id = ${deliveryId}::uuid`,
  );
  return event;
}

export const selectAttempts = (db: Db, deliveryId: string) =>
  runQuery<Attempt>(
    db,
    sql`select no, at, duration_ms as "durationMs", request_headers as "requestHeaders", body_digest as "bodyDigest",
        status, answer, error
      from webhook_attempt where delivery_id = ${deliveryId}::uuid order by no desc limit 100`,
  );

/** Makes a delivery pending again, with all its attempts. `arrangeHeads` decides when it is due. */
export async function resetDelivery(tx: Tx, id: string) {
  await tx
    .updateTable('webhookDelivery')
    .set({ state: 'pending', attempts: 0, dueAt: null, deliveredAt: null })
    .where('id', '=', id)
    .execute();
}

const earlierPending = sql`exists (
  select from webhook_delivery as earlier
  where earlier.endpoint_id = delivery.endpoint_id and earlier.subject_id = delivery.subject_id
    and earlier.state = 'pending' and earlier.event_seq < delivery.event_seq)`;

/** After a replay, deliveries of later events wait until the cursor reaches those events again. */
const isDispatched = sql`delivery.event_seq <= webhook.dispatched_seq`;

/**
 * Makes the first pending event of each subject due, and no other one: so the events of a subject are sent in order. A
 * first event that is due later keeps its time.
 */
export async function arrangeHeads(tx: Tx, endpointId: string) {
  await sql`
    update webhook_delivery as delivery set due_at = null from webhook_endpoint as webhook
    where webhook.id = ${endpointId}::uuid and delivery.endpoint_id = webhook.id and delivery.due_at is not null
      and (${earlierPending} or not ${isDispatched})`.execute(tx);
  await sql`
    update webhook_delivery as delivery set due_at = now() from webhook_endpoint as webhook
    where webhook.id = ${endpointId}::uuid and delivery.endpoint_id = webhook.id and delivery.state = 'pending'
      and delivery.due_at is null and ${isDispatched} and not ${earlierPending}`.execute(tx);
}

/** Makes everything due now that waits for its next attempt. */
export async function makeDueNow(tx: Tx, endpointId: string) {
  await sql`update webhook_delivery set due_at = now() where endpoint_id = ${endpointId}::uuid and due_at > now()`.execute(
    tx,
  );
}
