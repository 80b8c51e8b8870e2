import { randomBytes } from 'node:crypto';
import { fingerprint, hashPassword, newSecret } from '#server/core/auth/secrets.ts';
import type { Database } from '#server/core/db/db.ts';
import { sealSecret } from '#server/core/sealed-secret.ts';

/** Seals random keys of wallets that do not exist. Some users have no key, password or token. */
export async function sealDemoSecrets(database: Database, wrappingKey: Buffer) {
  const users = await database.selectFrom('platformUser').select('id').orderBy('userId').execute();
  // The password itself is not stored anywhere, so no one can sign in with it.
  const passwordHash = await hashPassword(newSecret());
  const secrets = users.map(({ id: userId }, index) => ({
    userId,
    solPrivateKey:
      index % 9 === 4
        ? null
        : sealSecret(
            wrappingKey,
            { table: 'user_secret', id: userId, column: 'sol_private_key' },
            randomBytes(64).toString('base64'),
          ),
    passwordHash: index % 7 === 5 ? null : passwordHash,
    tokenDigest: index % 3 === 1 ? null : fingerprint(newSecret()),
  }));
  await database.transaction().execute((tx) => tx.insertInto('userSecret').values(secrets).execute());
}
