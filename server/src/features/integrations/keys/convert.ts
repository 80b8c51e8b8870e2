import { sql } from 'kysely';
import { type SecretOwner, sealSecretDigest } from '#server/core/auth/api-keys.ts';
import { type Db, runQuery } from '#server/core/db/db.ts';

/** Encrypts the digests of API keys of a version that stored them as they are. */
export async function sealSecretDigests(db: Pick<Db, 'getExecutor'>) {
  const stored = await runQuery<SecretOwner & { secretId: string; digest: Buffer }>(
    db,
    sql`select secret.id as "secretId", key.id, prefix, scopes, expires_at as "expiresAt", hash as digest
      from api_key_secret as secret join api_key as key on key.id = api_key_id`,
  );
  for (const { secretId, digest, ...owner } of stored) {
    const sealed = sealSecretDigest(owner, digest);
    await runQuery(db, sql`update api_key_secret set hash = ${sealed} where id = ${secretId}`);
  }
}
