import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The table, row and column of a secret. A sealed value that is moved to another place cannot be opened. */
export type SecretPlace =
  | { table: 'user_secret'; id: string; column: 'sol_private_key' }
  | { table: 'webhook_secret'; id: string; column: 'sealed' }
  | { table: 'admin_credential'; id: string; column: 'password_hash' }
  | { table: 'api_key_secret'; id: string; column: 'hash' }
  | { table: 'totp_factor'; id: string; column: 'sealed' }
  | { table: 'recovery_code'; id: string; column: 'sealed' };

const cipher = 'aes-256-gcm';
const format = 1;
const ivBytes = 12;
const tagBytes = 16;
const keyBytes = 32;
const nameBytes = 8;

const boxBytes = (contentBytes: number) => ivBytes + tagBytes + contentBytes;

/** A sealed value holds the format, the name of the wrapping key, the wrapped key of the record and the secret. */
const wrappedAt = 1 + nameBytes;
const secretAt = wrappedAt + boxBytes(keyBytes);

/** Encrypts the secret with a new key, which is wrapped with the wrapping key that is kept outside the database. */
export function sealSecret(wrappingKey: Buffer, place: SecretPlace, secret: string): Buffer {
  const recordKey = randomBytes(keyBytes);
  const wrapped = encrypt(wrappingKey, boundTo(place, 'key'), recordKey);
  const sealed = encrypt(recordKey, boundTo(place, 'value'), Buffer.from(secret));
  return Buffer.concat([Buffer.of(format), nameOf(wrappingKey), wrapped, sealed]);
}

let formerKeys: readonly Buffer[] = [];

/** Sets the wrapping keys of before, with which values can still be opened while keys are rotated. */
export function openAlsoWith(keys: readonly Buffer[]) {
  formerKeys = keys;
}

export function openSecret(wrappingKey: Buffer, place: SecretPlace, sealed: Buffer): string {
  if (sealed[0] !== format || sealed.length < secretAt + boxBytes(0)) throw new Error('This is not a sealed secret.');
  const name = sealed.subarray(1, wrappedAt);
  const key = [wrappingKey, ...formerKeys].find((one) => nameOf(one).equals(name));
  if (!key) throw new Error('This secret was sealed under another key.');
  const recordKey = decrypt(key, boundTo(place, 'key'), sealed.subarray(wrappedAt, secretAt));
  return decrypt(recordKey, boundTo(place, 'value'), sealed.subarray(secretAt)).toString();
}

const boundTo = ({ table, id, column }: SecretPlace, part: 'key' | 'value') =>
  Buffer.from(JSON.stringify([table, id, column, part]));

/** Identifies the wrapping key of a record, which starts with the format and this name. It reveals nothing about the key. */
export const nameOf = (wrappingKey: Buffer) =>
  createHash('sha256').update('bursar wrapping key').update(wrappingKey).digest().subarray(0, nameBytes);

function encrypt(key: Buffer, bound: Buffer, content: Buffer) {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv, { authTagLength: tagBytes }).setAAD(bound);
  const body = Buffer.concat([sealing.update(content), sealing.final()]);
  return Buffer.concat([iv, sealing.getAuthTag(), body]);
}

function decrypt(key: Buffer, bound: Buffer, box: Buffer) {
  const opening = createDecipheriv(cipher, key, box.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(bound)
    .setAuthTag(box.subarray(ivBytes, ivBytes + tagBytes));
  try {
    return Buffer.concat([opening.update(box.subarray(ivBytes + tagBytes)), opening.final()]);
  } catch (cause) {
    throw new Error('This secret is not whole, or was not sealed for this place.', { cause });
  }
}
