import { hkdfSync } from 'node:crypto';

let sealingKey: Buffer | undefined;
let recordKey: Buffer | undefined;

/** Sets the sealing key. Each process calls it once at startup, so that no function has to pass the secret on. */
export function sealAuditWith(key: Buffer) {
  sealingKey = key;
  recordKey = Buffer.from(hkdfSync('sha256', key, '', 'bursar record seals', 32));
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
