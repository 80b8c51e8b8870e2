import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

// Node.js makes an HMAC with a KeyObject several times as fast as with the bytes of the key.
let sealingKey: KeyObject | undefined;
let recordKey: KeyObject | undefined;

/** Sets the sealing key. Each process calls it once at startup, so that no function has to pass the secret on. */
export function sealAuditWith(key: Buffer) {
  sealingKey = createSecretKey(key);
  recordKey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'bursar record seals', 32)));
}

export function auditKey() {
  if (!sealingKey) throw new Error('This process has not been given its audit key.');
  return sealingKey;
}

/** A key of its own, so that the seal of a record is worthless in the log, and the other way round. */
export function recordSealKey() {
  if (!recordKey) throw new Error('This process has not been given its audit key.');
  return recordKey;
}
