let sealingKey: Buffer | undefined;

/** Given once by each process at its start, so that nothing on the way to an audit row has to carry a secret. */
export function sealAuditWith(key: Buffer) {
  sealingKey = key;
}

export function auditKey() {
  if (!sealingKey) throw new Error('This process has not been given its audit key.');
  return sealingKey;
}
