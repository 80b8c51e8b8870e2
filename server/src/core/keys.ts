import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { openSecret, type SecretPlace, sealSecret } from './sealed-secret.ts';

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
  | 'API keys';

type SecretsKeys = {
  current: Buffer;
  /** What was made with this key is still accepted while the key is rotated. */
  previous?: Buffer;
};

/** The current key, and the previous one while it is accepted. */
type Keys = readonly [Buffer, ...Buffer[]];

let held: SecretsKeys | undefined;
const derived = new Map<Purpose, Keys>();

/** Sets the keys. Each process calls it once at startup, so that no function has to pass the secrets on. */
export function holdKeys(keys: SecretsKeys) {
  held = keys;
  derived.clear();
}

function keysFor(purpose: Purpose): Keys {
  if (!held) throw new Error('This process has not been given its secrets key.');
  const known = derived.get(purpose);
  if (known) return known;
  const derive = (root: Buffer) => Buffer.from(hkdfSync('sha256', root, '', `bursar ${purpose}`, 32));
  const keys: Keys = [derive(held.current), ...(held.previous ? [derive(held.previous)] : [])];
  derived.set(purpose, keys);
  return keys;
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

export const keyedHash = (purpose: Purpose, text: string) => hmac(keysFor(purpose)[0], text);

/** Returns every value that may be stored for the text, to find its row. */
export const keyedHashes = (purpose: Purpose, text: string) => keysFor(purpose).map((key) => hmac(key, text));

/** Whether a stored value is the HMAC of the text. */
export const fitsKeyedHash = (purpose: Purpose, text: string, stored: Buffer) =>
  keyedHashes(purpose, text).some((hash) => hash.length === stored.length && timingSafeEqual(hash, stored));

const purposes = { admin_credential: 'passwords', api_key_secret: 'API keys' } as const;
type SealedPlace = Extract<SecretPlace, { table: keyof typeof purposes }>;

export const seal = (place: SealedPlace, secret: string) =>
  sealSecret(keysFor(purposes[place.table])[0], place, secret);

/** Returns undefined if the value was not sealed for this place with a key of this process. */
export function openIfGenuine(place: SealedPlace, sealed: Buffer) {
  for (const key of keysFor(purposes[place.table])) {
    try {
      return openSecret(key, place, sealed);
    } catch {
      // The value is of another key or place.
    }
  }
  return undefined;
}
