import type { Scope } from 'contract/core/scopes.ts';
import { sql } from 'kysely';
import { newApiKeySecret } from '#server/core/auth/api-keys.ts';
import type { Database } from '#server/core/db/db.ts';

type NewKey = { scopes: Scope[]; requestsPerMinute?: number };

/** Adds an approved API key. Needs an administrator. Returns its id and secret. */
export function addApiKey(owner: Database, { scopes, requestsPerMinute = 10_000 }: NewKey) {
  return owner.transaction().execute(async (tx) => {
    const { id: createdBy } = await tx.selectFrom('admin').select('id').limit(1).executeTakeFirstOrThrow();
    const key = { name: 'The platform', scopes, requestsPerMinute, createdBy };
    const { id } = await tx.insertInto('apiKey').values(key).returning('id').executeTakeFirstOrThrow();
    const { secret, prefix, hash } = newApiKeySecret({ id, scopes, expiresAt: null });
    // Otherwise a second administrator would have to approve it.
    await sql`set local session_replication_role = replica`.execute(tx);
    const row = { apiKeyId: id, prefix, hash, createdBy, approvedAt: new Date() };
    await tx.insertInto('apiKeySecret').values(row).execute();
    return { id, secret };
  });
}
