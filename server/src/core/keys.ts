import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Config } from '#server/config.ts';
import { nameOf, openAlsoWith, openSecret, type SecretPlace, sealSecret } from './sealed-secret.ts';

/**
 * What a key is for. Each purpose has its own key, derived from the secrets key, so that a value made for one purpose
 * is worthless for another.
 */
type Purpose =
  | 'session tokens'
  | 'session rows'
  | 'devices'
  | 'device cookies'
  | 'single sign-on cookies'
  | 'single sign-on identities'
  | 'downloads'
  | 'passwords'
  | 'API keys'
  | 'apps'
  | 'recovery codes'
  | 'passkeys'
  | 'challenges';

type SecretsKeys = Pick<Config, 'secretsKey' | 'previousSecretsKey'>;

/** The current key, and the one before while it is accepted. */
type Keys = readonly [Buffer, ...Buffer[]];

let held: SecretsKeys | undefined;
const derived = new Map<Purpose, Keys>();
const hmacKeys = new Map<Purpose, readonly [KeyObject, ...KeyObject[]]>();

/** Sets the keys. Each process calls it once at startup, so that no function has to pass the secrets on. */
export function holdKeys({ secretsKey, previousSecretsKey }: SecretsKeys) {
  held = { secretsKey, previousSecretsKey };
  derived.clear();
  hmacKeys.clear();
  openAlsoWith(tables.flatMap((table) => wrappingKeys(table).slice(1)));
}

function secretsKeys(): Keys {
  if (!held) throw new Error('This process has not been given its secrets key.');
  return held.previousSecretsKey ? [held.secretsKey, held.previousSecretsKey] : [held.secretsKey];
}

function keysFor(purpose: Purpose): Keys {
  const known = derived.get(purpose);
  if (known) return known;
  const derive = (root: Buffer) => Buffer.from(hkdfSync('sha256', root, '', `bursar ${purpose}`, 32));
  const [current, ...before] = secretsKeys();
  const keys: Keys = [derive(current), ...before.map(derive)];
  derived.set(purpose, keys);
  return keys;
}

/** Every call computes HMACs. With a key object they take a fifth of the time that they take with the bytes of a key. */
function hmacKeysFor(purpose: Purpose) {
  const known = hmacKeys.get(purpose);
  if (known) return known;
  const [current, ...before] = keysFor(purpose);
  const keys = [createSecretKey(current), ...before.map((key) => createSecretKey(key))] as const;
  hmacKeys.set(purpose, keys);
  return keys;
}

const hmac = (key: KeyObject, text: string) => createHmac('sha256', key).update(text).digest();

export const keyedHash = (purpose: Purpose, text: string) => hmac(hmacKeysFor(purpose)[0], text);

/** Returns every value that may be stored for the text, to find its row. */
export const keyedHashes = (purpose: Purpose, text: string) => hmacKeysFor(purpose).map((key) => hmac(key, text));

/** Whether a stored value is the HMAC of the text. */
export const fitsKeyedHash = (purpose: Purpose, text: string, stored: Buffer) =>
  keyedHashes(purpose, text).some((hash) => hash.length === stored.length && timingSafeEqual(hash, stored));

/** Computes a valid HMAC again with the current key. Undefined if neither key made it. */
export function renewedKeyedHash(purpose: Purpose, text: string, stored: Buffer) {
  return fitsKeyedHash(purpose, text, stored) ? keyedHash(purpose, text) : undefined;
}

type Table = SecretPlace['table'];

/** The keys that encrypt the values of each table. Null is the secrets key itself, as in the first version. */
const purposes: Record<Table, Purpose | null> = {
  user_secret: null,
  webhook_secret: null,
  admin_credential: 'passwords',
  api_key_secret: 'API keys',
  totp_factor: 'apps',
  recovery_code: 'recovery codes',
};
const tables = Object.keys(purposes) as Table[];

function wrappingKeys(table: Table) {
  const purpose = purposes[table];
  return purpose === null ? secretsKeys() : keysFor(purpose);
}

export const seal = (place: SecretPlace, secret: string) => sealSecret(wrappingKeys(place.table)[0], place, secret);

/** Returns undefined if the value was not sealed for this place with a key of this process. */
export function openIfGenuine(place: SecretPlace, sealed: Buffer) {
  try {
    return openSecret(wrappingKeys(place.table)[0], place, sealed);
  } catch {
    return undefined;
  }
}

/** The ID of the current wrapping key. It is in bytes 2 to 9 of each value. */
export const currentKeyId = (table: Table) => nameOf(wrappingKeys(table)[0]);
