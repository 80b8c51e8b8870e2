import { sql } from 'kysely';
import { runQuery, type Tx } from '#server/core/db/db.ts';
import { eventColumns } from '#server/core/outbox/queries.ts';
import type { SealedEvent } from '#server/core/outbox/seal.ts';
import type { Outcome } from './sender.ts';

/** Much longer than the attempts of one batch take. After this time another worker takes over from one that died. */
const leaseSeconds = 30;

type Lease = { endpointId: string; lease: string };

/** Takes the lease of an active webhook. Returns false if it is not active, or another worker holds its lease. */
export async function takeLease(tx: Tx, { endpointId, lease }: Lease) {
  const { numAffectedRows } = await sql`
    update webhook_endpoint
    set lease = ${lease}::uuid, leased_until = now() + make_interval(secs => ${leaseSeconds}), queued_at = null
    where id = ${endpointId}::uuid and state = 'active' and (leased_until is null or leased_until < now())`.execute(tx);
  return numAffectedRows === 1n;
}

export async function releaseLease(tx: Tx, { endpointId, lease }: Lease) {
  await sql`update webhook_endpoint set lease = null, leased_until = null
    where id = ${endpointId}::uuid and lease = ${lease}::uuid`.execute(tx);
}

/** Renews the lease and returns the URL. Returns undefined if the webhook was paused, or another worker took over. */
export async function renewLease(tx: Tx, { endpointId, lease }: Lease) {
  const [webhook] = await runQuery<{ url: string }>(
    tx,
    sql`update webhook_endpoint set leased_until = now() + make_interval(secs => ${leaseSeconds})
      where id = ${endpointId}::uuid and lease = ${lease}::uuid and state = 'active' returning url`,
  );
  return webhook?.url;
}

/** Locks the webhook for recording an attempt. Returns false if another worker took over. */
export async function holdsLease(tx: Tx, { endpointId, lease }: Lease) {
  const rows = await runQuery(
    tx,
    sql`select from webhook_endpoint where id = ${endpointId}::uuid and lease = ${lease}::uuid for update`,
  );
  return rows.length === 1;
}

export type DueDelivery = SealedEvent & { deliveryId: string; attempts: number };

/** Returns deliveries that are due. Only the first pending one of a subject is, so they have different subjects. */
export const selectDue = (tx: Tx, endpointId: string, limit: number) =>
  runQuery<DueDelivery>(
    tx,
    sql`select ${eventColumns}, delivery.id as "deliveryId", delivery.attempts
      from webhook_delivery as delivery join platform_event as event on event.seq = delivery.event_seq
      where delivery.endpoint_id = ${endpointId}::uuid and delivery.due_at <= now()
      order by delivery.event_seq limit ${limit}`,
  );

type NewAttempt = {
  deliveryId: string;
  at: Date;
  outcome: Outcome;
  headers: Record<string, string>;
  digest: string;
};

export async function insertAttempt(tx: Tx, { deliveryId, at, outcome, headers, digest }: NewAttempt) {
  const { durationMs, status, answer, error } = outcome;
  await sql`
    insert into webhook_attempt
      (delivery_id, no, at, duration_ms, request_headers, body_digest, status, answer, error)
    select ${deliveryId}::uuid, coalesce(max(no), 0) + 1, ${at}, ${durationMs}, ${JSON.stringify(headers)}::jsonb,
      ${digest}, ${status}, ${answer}, ${error}
    from webhook_attempt where delivery_id = ${deliveryId}::uuid`.execute(tx);
}

/** Marks a pending delivery as delivered. */
export async function updateDelivered(tx: Tx, deliveryId: string) {
  await sql`update webhook_delivery
    set state = 'delivered', delivered_at = now(), due_at = null, attempts = attempts + 1
    where id = ${deliveryId}::uuid and state = 'pending'`.execute(tx);
}

/** Schedules the next attempt after the delay. Without a delay, the delivery has failed for good. */
export async function updateFailed(tx: Tx, deliveryId: string, delaySeconds: number | undefined) {
  const next =
    delaySeconds === undefined
      ? sql`state = 'failed', due_at = null`
      : sql`due_at = now() + make_interval(secs => ${delaySeconds})`;
  await sql`update webhook_delivery set ${next}, attempts = attempts + 1
    where id = ${deliveryId}::uuid and state = 'pending'`.execute(tx);
}

/** Makes the next pending event of a subject due. */
export async function promoteNext(tx: Tx, { endpointId, subjectId }: { endpointId: string; subjectId: string }) {
  await sql`
    update webhook_delivery set due_at = now() where id = (
      select delivery.id from webhook_delivery as delivery
      join webhook_endpoint as webhook on webhook.id = delivery.endpoint_id
      where delivery.endpoint_id = ${endpointId}::uuid and delivery.subject_id = ${subjectId}
        and delivery.state = 'pending' and delivery.event_seq <= webhook.dispatched_seq
      order by delivery.event_seq limit 1
    ) and due_at is null`.execute(tx);
}

/** Remembers since when a webhook receives nothing. */
export async function updateFailing(tx: Tx, endpointId: string, isFailing: boolean) {
  await sql`update webhook_endpoint
    set failing_since = ${isFailing ? sql`coalesce(failing_since, now())` : sql`null`}
    where id = ${endpointId}::uuid and (failing_since is null) = ${isFailing}`.execute(tx);
}
