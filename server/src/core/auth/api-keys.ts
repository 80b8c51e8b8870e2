import { timingSafeEqual } from 'node:crypto';
import type { Scope } from 'contract/core/scopes.ts';
import type { Database } from '#server/core/db/db.ts';
import { openIfGenuine, seal } from '#server/core/keys.ts';
import { selectSecret } from './api-key-queries.ts';
import type { Once } from './idempotency.ts';
import { fingerprint, newSecret } from './secrets.ts';

/** The API key that makes a call. */
export type ApiKey = {
  id: string;
  name: string;
  scopes: Scope[];
  requestsPerMinute: number;
  expiresAt: Date | null;
  secretId: string;
  secretValidUntil: Date | null;
  /** Set if the call moves money and has an idempotency key. */
  once?: Once;
};

/** The start of a secret names its key, so it is found by an index and recognized by people and secret scanners. */
const marker = 'bursar';
const prefixLength = 12;

/** The key of a secret, with what never changes about it. */
export type SecretOwner = Pick<ApiKey, 'id' | 'scopes' | 'expiresAt'> & { prefix: string };

/** A secret works only for the key that it was made for, with the scopes and the end that this key had. */
export const placeOfSecret = ({ id, prefix, scopes, expiresAt }: SecretOwner) =>
  ({
    table: 'api_key_secret',
    id: [id, prefix, scopes.join(), expiresAt?.toISOString() ?? ''].join(' '),
    column: 'hash',
  }) as const;

/** Returns what is stored of a secret by its digest. A digest needs no salt, because it is of 256 random bits. */
export const sealSecretDigest = (owner: SecretOwner, digest: Buffer) =>
  seal(placeOfSecret(owner), digest.toString('base64'));

/** Returns a new secret of 256 random bits behind a random prefix, and what is stored of it. */
export function newApiKeySecret(key: Omit<SecretOwner, 'prefix'>) {
  const prefix = `${marker}_${newSecret().replaceAll(/[-_]/g, '').slice(0, prefixLength)}`;
  const secret = `${prefix}_${newSecret()}`;
  return { secret, prefix, hash: sealSecretDigest({ ...key, prefix }, fingerprint(secret)) };
}

/** Returns the key if the secret is valid now. */
export async function findApiKey(database: Database, secret: string | undefined): Promise<ApiKey | undefined> {
  const prefix = /^(bursar_[A-Za-z0-9]{1,20})_/.exec(secret ?? '')?.[1];
  if (secret === undefined || prefix === undefined) return undefined;
  const found = await selectSecret(database, prefix);
  if (!found) return undefined;
  const { hash, ...apiKey } = found;
  const digest = openIfGenuine(placeOfSecret({ ...apiKey, prefix }), hash);
  return digest && timingSafeEqual(fingerprint(secret), Buffer.from(digest, 'base64')) ? apiKey : undefined;
}
