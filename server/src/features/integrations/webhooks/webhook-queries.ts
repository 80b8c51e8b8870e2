import type { Webhook } from 'contract/integrations-webhooks.ts';
import { sql } from 'kysely';
import { type Db, runQuery, type Tx } from '#server/core/db/db.ts';

/** Counting stops there. */
const countedAtMost = 1_000;

const counted = (state: 'pending' | 'failed') => sql`(
  select count(*)::int from (
    select from webhook_delivery where endpoint_id = webhook.id and state = ${sql.lit(state)} limit ${sql.lit(countedAtMost)}
  ) as counted)`;

const selectWhere = (db: Db, condition: ReturnType<typeof sql>) =>
  runQuery<Webhook>(
    db,
    sql`
    select webhook.id, url, description, types, state, paused_reason as "pausedReason",
      failing_since as "failingSince", admin.username as "createdBy", webhook.created_at as "createdAt",
      (select max(expires_at) from webhook_secret where endpoint_id = webhook.id and expires_at > now()) as "rotatingUntil",
      ${counted('pending')} as pending, ${counted('failed')} as failed, webhook.version
    from webhook_endpoint as webhook join admin on admin.id = webhook.created_by
    where state <> 'removed' and ${condition} order by webhook.created_at, webhook.id`,
  );

export const selectWebhooks = (db: Db) => selectWhere(db, sql`true`);

export async function selectWebhook(db: Db, id: string) {
  const [webhook] = await selectWhere(db, sql`webhook.id = ${id}::uuid`);
  return webhook;
}

export const selectFailingPaused = (db: Db) =>
  db
    .selectFrom('webhookEndpoint')
    .select(['id', 'url'])
    .where('state', '=', 'paused')
    .where('pausedReason', '=', 'failing')
    .orderBy('createdAt')
    .execute();

/** Locks the webhook, so that changes of it and the recording of its deliveries run one after the other. */
export async function lockWebhook(tx: Tx, id: string) {
  const locked = await tx
    .selectFrom('webhookEndpoint')
    .select('id')
    .where('id', '=', id)
    .where('state', '!=', 'removed')
    .forUpdate()
    .executeTakeFirst();
  return locked && selectWebhook(tx, id);
}

export async function countWebhooks(tx: Tx) {
  // The lock lets two concurrent additions count each other.
  await sql`lock table webhook_endpoint in share row exclusive mode`.execute(tx);
  const { count } = await tx
    .selectFrom('webhookEndpoint')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('state', '!=', 'removed')
    .executeTakeFirstOrThrow();
  return Number(count);
}

export type Fields = { url: string; description: string; types: string[] | null };
type NewWebhook = Fields & { createdBy: string; dispatchedSeq: bigint };

export async function insertWebhook(tx: Tx, webhook: NewWebhook) {
  const { id } = await tx.insertInto('webhookEndpoint').values(webhook).returning('id').executeTakeFirstOrThrow();
  return id;
}

export async function updateWebhookFields(tx: Tx, id: string, fields: Fields) {
  await tx
    .updateTable('webhookEndpoint')
    .set({ ...fields, version: sql`version + 1` })
    .where('id', '=', id)
    .execute();
}

/** Whether there is such a webhook, removed or not. */
export async function hasWebhook(db: Db, id: string) {
  const found = db.selectFrom('webhookEndpoint').select('id').where('id', '=', id);
  return (await found.executeTakeFirst()) !== undefined;
}

type NewState = { state: 'active' | 'removed'; pausedReason: null } | { state: 'paused'; pausedReason: 'manual' };

/** A resumed webhook is paused again only after another full day of failures. */
export async function updateState(tx: Tx, id: string, change: NewState) {
  await tx
    .updateTable('webhookEndpoint')
    .set({ ...change, failingSince: null, version: sql`version + 1` })
    .where('id', '=', id)
    .execute();
}

/** Goes back to an event, so that it and all later ones are dispatched again. Never goes forward. */
export async function updateDispatched(tx: Tx, id: string, before: bigint) {
  await sql`update webhook_endpoint set dispatched_seq = least(dispatched_seq, ${before}) where id = ${id}::uuid`.execute(
    tx,
  );
}

/** Pauses the webhooks without a success for that long, and returns them. */
export const pauseFailing = (tx: Tx, hours: number) =>
  runQuery<{ id: string; url: string; failingSince: Date }>(
    tx,
    sql`update webhook_endpoint set state = 'paused', paused_reason = 'failing', version = version + 1
      where state = 'active' and failing_since < now() - make_interval(hours => ${hours})
      returning id, url, failing_since as "failingSince"`,
  );

type NewSecret = { id: string; endpointId: string; sealed: Buffer };

export async function insertSecret(tx: Tx, secret: NewSecret) {
  await tx.insertInto('webhookSecret').values(secret).execute();
}

/** Lets the newest secret expire, and deletes the older ones, so that at most two are valid. */
export async function expireSecrets(tx: Tx, endpointId: string, afterHours: number) {
  await tx
    .deleteFrom('webhookSecret')
    .where('endpointId', '=', endpointId)
    .where('expiresAt', 'is not', null)
    .execute();
  await tx
    .updateTable('webhookSecret')
    .set({ expiresAt: sql<Date>`now() + make_interval(hours => ${afterHours})` })
    .where('endpointId', '=', endpointId)
    .execute();
}

/** Returns the secrets that are valid now, the newest first. */
export const selectSecrets = (db: Db, endpointId: string) =>
  runQuery<{ id: string; sealed: Buffer }>(
    db,
    sql`select id, sealed from webhook_secret
      where endpoint_id = ${endpointId}::uuid and (expires_at is null or expires_at > now())
      order by created_at desc`,
  );
