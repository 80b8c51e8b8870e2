import { sql } from 'kysely';
import { type SecretOwner, placeOfSecret, sealSecretDigest } from '#server/core/auth/api-keys.ts';
import { type Db, runQuery } from '#server/core/db/db.ts';
import { type SealedRows, storeResealed } from '#server/core/db/sealed-rows.ts';

type Stored = SecretOwner & { secretId: string; hash: Buffer };

const stored = sql`
  select secret.id as "secretId", key.id, prefix, scopes, expires_at as "expiresAt", hash
  from api_key_secret as secret join api_key as key on key.id = api_key_id`;

/** Encrypts the digests of API keys of a version that stored them as they are. */
export async function sealSecretDigests(db: Pick<Db, 'getExecutor'>) {
  for (const { secretId, hash, ...owner } of await runQuery<Stored>(db, sql`${stored}`)) {
    const sealed = sealSecretDigest(owner, hash);
    await runQuery(db, sql`update api_key_secret set hash = ${sealed} where id = ${secretId}`);
  }
}

export const sealedSecretDigests: SealedRows = {
  name: 'API keys',
  async lockOutdated(tx, { after, limit, current }) {
    const rows = await runQuery<Stored>(
      tx,
      sql`${stored} where secret.id > ${after}::uuid and substring(hash from 2 for 8) <> ${current}
        order by secret.id limit ${limit} for update of secret`,
    );
    return rows.map(({ secretId, hash, ...owner }) => ({ id: secretId, place: placeOfSecret(owner), sealed: hash }));
  },
  store: (tx, rows) => storeResealed(tx, { table: 'api_key_secret', column: 'hash' }, rows),
};
