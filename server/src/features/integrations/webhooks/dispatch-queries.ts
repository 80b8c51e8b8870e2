import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';

/** With this many pending deliveries, a webhook gets no further ones until it has received some. */
const pendingAtMost = 20_000;

type Behind = { id: string; types: string[] | null; dispatchedSeq: bigint };

/** SQL for whether an active webhook has events to be dispatched. */
const isBehind = sql<boolean>`
  state = 'active' and dispatched_seq < (select max(seq) from platform_event)
  and (
    select count(*) from (
      select from webhook_delivery where endpoint_id = webhook.id and state = 'pending' limit ${pendingAtMost}
    ) as counted
  ) < ${pendingAtMost}`;

/** Locks a webhook that has events to be dispatched, and that no other process has locked at the moment. */
export async function lockBehind(tx: Tx) {
  const [webhook] = await runQuery<Behind>(
    tx,
    sql`select id, types, dispatched_seq as "dispatchedSeq" from webhook_endpoint as webhook
      where ${isBehind} limit 1 for update skip locked`,
  );
  return webhook;
}

/**
 * Writes the deliveries of the next events that the webhook subscribes to, and moves its cursor on. A delivery that
 * exists becomes pending again, because the cursor was moved back for a replay. Tests are not replayed.
 */
export async function insertDeliveries(tx: Tx, { id, types, dispatchedSeq }: Behind, limit: number) {
  await sql`
    with next as (
      select seq, type, subject_id from platform_event where seq > ${dispatchedSeq} order by seq limit ${limit}
    ),
    written as (
      insert into webhook_delivery (endpoint_id, event_seq, type, subject_id)
      select ${id}::uuid, seq, type, subject_id from next
      where case when type = 'webhook.test' then subject_id = ${id}
        else ${types}::text[] is null or type = any(${types}::text[]) end
      on conflict (event_seq, endpoint_id) do update
        set state = 'pending', attempts = 0, due_at = null, delivered_at = null
        where webhook_delivery.type <> 'webhook.test'
    )
    update webhook_endpoint set dispatched_seq = (select max(seq) from next) where id = ${id}::uuid`.execute(tx);
}

/** Marks the webhooks for which a task to send is needed, and returns them. A task that has not started is lost. */
export async function markQueued(tx: Tx) {
  const marked = await runQuery<{ id: string }>(
    tx,
    sql`update webhook_endpoint as webhook set queued_at = now()
      where state = 'active' and (leased_until is null or leased_until < now())
        and (queued_at is null or queued_at < now() - interval '1 minute')
        and exists (select from webhook_delivery where endpoint_id = webhook.id and due_at <= now())
      returning id`,
  );
  return marked.map(({ id }) => id);
}

/** Whether a webhook has events to be dispatched, which another process had locked, or a delivery due within that time. */
export async function hasWorkWithin(db: Db, seconds: number) {
  const [answer] = await runQuery<{ hasWork: boolean }>(
    db,
    sql`select exists (
      select from webhook_endpoint as webhook
      where ${isBehind} or state = 'active' and exists (
        select from webhook_delivery
        where endpoint_id = webhook.id and due_at < now() + make_interval(secs => ${seconds})
      )) as "hasWork"`,
  );
  return answer?.hasWork ?? false;
}
