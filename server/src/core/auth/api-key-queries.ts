import type { Scope } from 'contract/core/scopes.ts';
import { sql } from 'kysely';
import { type Db, statement, type Tx } from '#server/core/db/db.ts';

type ValidSecret = {
  id: string;
  name: string;
  scopes: Scope[];
  requestsPerMinute: number;
  expiresAt: Date | null;
  secretId: string;
  secretValidUntil: Date | null;
  hash: Buffer;
};

const isValid = `
  secret.approved_at is not null and coalesce(secret.valid_until, 'infinity') > now()
  and key.revoked_at is null and coalesce(key.expires_at, 'infinity') > now()`;

/** Every call with a key runs this query. */
const validSecret = statement<ValidSecret>(`
  select key.id, key.name, key.scopes, key.requests_per_minute as "requestsPerMinute", key.expires_at as "expiresAt",
    secret.id as "secretId", secret.valid_until as "secretValidUntil", hash
  from api_key_secret as secret join api_key as key on key.id = secret.api_key_id
  where secret.prefix = $1 and ${isValid}`);

export const selectSecret = async (db: Db, prefix: string) => (await validSecret(db, prefix))[0];

const stillValid = statement<{ id: string }>(`
  select secret.id from api_key_secret as secret join api_key as key on key.id = secret.api_key_id
  where secret.id = $1 and ${isValid}`);

export const isValidSecret = async (tx: Tx, secretId: string) => (await stillValid(tx, secretId)).length > 0;

export type Used = { secretId: string; hour: Date; requests: number; errors: number; lastUsedAt: Date };

/** Adds what a process has counted. Sorted, so that two processes lock the rows in the same order. */
export async function addUsage(db: Db, used: readonly Used[]) {
  const rows = used
    .toSorted((one, other) => one.secretId.localeCompare(other.secretId))
    .map(
      ({ secretId, hour, requests, errors, lastUsedAt }) =>
        sql`(${secretId}::uuid, ${hour}::timestamptz, ${requests}::bigint, ${errors}::bigint, ${lastUsedAt}::timestamptz)`,
    );
  await sql`
    insert into api_key_usage as usage (secret_id, hour, requests, errors, last_used_at) values ${sql.join(rows)}
    on conflict (secret_id, hour) do update set
      requests = usage.requests + excluded.requests, errors = usage.errors + excluded.errors,
      last_used_at = greatest(usage.last_used_at, excluded.last_used_at)`.execute(db);
}

export async function deleteOldUsage(tx: Tx) {
  await tx.deleteFrom('apiKeyUsage').where('hour', '<', sql<Date>`now() - interval '90 days'`).execute();
  const nowMs = sql<bigint>`extract(epoch from now())::bigint * 1000`;
  await tx.deleteFrom('apiKeyRate').where('expire', '<', nowMs).execute();
}
