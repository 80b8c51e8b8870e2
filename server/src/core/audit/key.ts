let sealingKey: Buffer | undefined;

/** Sets the sealing key. Each process calls it once at startup, so that no function has to pass the secret on. */
export function sealAuditWith(key: Buffer) {
  sealingKey = key;
}

export function auditKey() {
  if (!sealingKey) throw new Error('This process has not been given its audit key.');
  return sealingKey;
}
