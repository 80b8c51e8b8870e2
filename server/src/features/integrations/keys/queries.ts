import type { Scope } from 'contract/core/scopes.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#server/core/db/db.ts';

export type KeyRow = {
  id: string;
  name: string;
  scopes: Scope[];
  requestsPerMinute: number;
  expiresAt: Date | null;
  createdAt: Date;
  createdBy: string;
  revoked: boolean;
  expired: boolean;
  requests: bigint;
  errors: bigint;
};

const keys = sql`
  select key.id, key.name, key.scopes, key.requests_per_minute, key.expires_at, key.created_at,
    creator.username as created_by, key.revoked_at is not null as revoked, coalesce(key.expires_at <= now(), false) as expired,
    usage.requests, usage.errors
  from api_key as key
  join admin as creator on creator.id = key.created_by
  cross join lateral (
    select coalesce(sum(it.requests), 0)::bigint as requests, coalesce(sum(it.errors), 0)::bigint as errors
    from api_key_usage as it join api_key_secret as secret on secret.id = it.secret_id
    where secret.api_key_id = key.id and it.hour > now() - interval '24 hours'
  ) as usage`;

/** Administrators create keys, so there are few. */
export async function selectKeys(db: Db) {
  return (await sql<KeyRow>`${keys} order by key.created_at desc, key.id desc`.execute(db)).rows;
}

export async function selectKey(db: Db, id: string) {
  return (await sql<KeyRow>`${keys} where key.id = ${id}::uuid`.execute(db)).rows[0];
}

/** Locks the key, so that two administrators do not rotate or revoke it at the same time. */
export async function lockKey(tx: Tx, id: string) {
  const locked = await tx.selectFrom('apiKey').select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return locked && selectKey(tx, id);
}

type NewKey = {
  name: string;
  scopes: readonly Scope[];
  days: number | undefined;
  requestsPerMinute: number;
  createdBy: string;
};

export async function insertKey(tx: Tx, { scopes, days, ...key }: NewKey) {
  const expiresAt = days === undefined ? null : sql<Date>`now() + make_interval(days => ${days})`;
  const row = { ...key, scopes: [...scopes], expiresAt };
  return (await tx.insertInto('apiKey').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

export async function updateRevoked(tx: Tx, id: string, revokedBy: string) {
  await tx.updateTable('apiKey').set({ revokedBy, revokedAt: sql`now()` }).where('id', '=', id).execute();
}

export type SecretRow = {
  id: string;
  apiKeyId: string;
  prefix: string;
  createdAt: Date;
  createdBy: string;
  approvedAt: Date | null;
  overlapHours: number;
  validUntil: Date | null;
  lastUsedAt: Date | null;
  ended: boolean;
};

export async function selectSecrets(db: Db, apiKeyId?: string) {
  const { rows } = await sql<SecretRow>`
    select secret.id, secret.api_key_id, secret.prefix, secret.created_at, creator.username as created_by,
      secret.approved_at, secret.overlap_hours, secret.valid_until,
      (select max(last_used_at) from api_key_usage where secret_id = secret.id) as last_used_at,
      coalesce(secret.valid_until <= now(), false) as ended
    from api_key_secret as secret join admin as creator on creator.id = secret.created_by
    where secret.api_key_id = coalesce(${apiKeyId ?? null}::uuid, secret.api_key_id)
    order by secret.created_at desc, secret.id desc`.execute(db);
  return rows;
}

type NewSecret = {
  apiKeyId: string;
  prefix: string;
  hash: Buffer;
  createdBy: string;
  overlapHours: number;
  /** Whether it is valid at once. The database refuses that for a key that moves money. */
  approved: boolean;
};

export async function insertSecret(tx: Tx, { approved, ...secret }: NewSecret) {
  const row = { ...secret, approvedAt: approved ? sql<Date>`now()` : null };
  return (await tx.insertInto('apiKeySecret').values(row).returning('id').executeTakeFirstOrThrow()).id;
}

/** Locks the secret of a request, and returns it with its key. */
export async function lockSecret(tx: Tx, id: string) {
  const locked = await tx.selectFrom('apiKeySecret').select('apiKeyId').where('id', '=', id).executeTakeFirst();
  const key = locked && (await lockKey(tx, locked.apiKeyId));
  const secret = key && (await selectSecrets(tx, key.id)).find((one) => one.id === id);
  return secret && { key, secret };
}

export async function updateApproved(tx: Tx, id: string) {
  await tx.updateTable('apiKeySecret').set({ approvedAt: sql`now()` }).where('id', '=', id).execute();
}

/** Ends all other secrets of a key some hours from now, unless they end earlier. Those without an approval end now. */
export async function endOtherSecrets(
  tx: Tx,
  { apiKeyId, kept, hours }: { apiKeyId: string; kept: string; hours: number },
) {
  await sql`
    update api_key_secret set valid_until = least(
      coalesce(valid_until, 'infinity'), now() + case when approved_at is null then 0 else ${hours} end * interval '1 hour')
    where api_key_id = ${apiKeyId}::uuid and id <> ${kept}::uuid`.execute(tx);
}

export async function selectUsage(db: Db, apiKeyId: string) {
  const { rows } = await sql<{ hour: Date; requests: bigint; errors: bigint }>`
    select usage.hour, sum(usage.requests)::bigint as requests, sum(usage.errors)::bigint as errors
    from api_key_usage as usage join api_key_secret as secret on secret.id = usage.secret_id
    where secret.api_key_id = ${apiKeyId}::uuid and usage.hour > now() - interval '7 days'
    group by usage.hour order by usage.hour`.execute(db);
  return rows;
}
