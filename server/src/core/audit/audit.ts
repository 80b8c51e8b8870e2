import { createHmac } from 'node:crypto';
import { type Db, lockFor, type Tx } from '#server/core/db/db.ts';
import { auditKey } from './key.ts';
import { type Entry, insertEntry, selectEntriesAfter, selectLastEntry } from './queries.ts';

export type AuditRecord = {
  /** Null if the caller is not signed in, or the system itself acts. */
  actorId: string | null;
  /** The API key that acts for the platform. */
  apiKeyId?: string;
  /** The feature and the action, for example `tickets.create`. */
  action: `${string}.${string}`;
  subjectId?: string;
  /** The values before and after, or the reason. Never a secret. */
  details?: Record<string, unknown>;
};

export type Verdict =
  | { sound: true; rows: bigint }
  | { sound: false; badSeq: bigint; why: 'missing' | 'altered' | 'cut' | 'not covered by any published head' };

export const genesisSeal = Buffer.alloc(32);

/** Returns the seal of a row. It covers the row and, through the previous seal, all rows before it. */
export function sealOf(
  previous: Buffer,
  { seq, at, actorId, apiKeyId, action, subjectId, details }: Omit<Entry, 'seal'>,
) {
  const covered = [
    String(seq),
    at.toISOString(),
    actorId,
    action,
    subjectId,
    details,
    ...(apiKeyId === null ? [] : [apiKeyId]),
  ];
  return createHmac('sha256', auditKey()).update(previous).update(JSON.stringify(covered)).digest();
}

/** A verification reads the details as JSON in PostgreSQL, which refuses half of a surrogate pair. */
const wellFormed = (_key: string, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value);

/** Appends a row. Call it last in the action's own transaction: all later writers wait until that ends. */
export async function recordAudit(tx: Tx, { actorId, apiKeyId, action, subjectId, details }: AuditRecord) {
  await lockFor(tx, 'audit');
  const last = await selectLastEntry(tx);
  const entry = {
    seq: (last?.seq ?? 0n) + 1n,
    at: new Date(),
    actorId,
    apiKeyId: apiKeyId ?? null,
    action,
    subjectId: subjectId ?? null,
    details: JSON.stringify(details ?? {}, wellFormed),
  };
  await insertEntry(tx, { ...entry, seal: sealOf(last?.seal ?? genesisSeal, entry) });
}

type OnProgress = (rows: bigint) => void | Promise<void>;

/** Reads all rows in batches and returns the first that is missing or altered. */
export async function verifyAudit(db: Db, onProgress?: OnProgress): Promise<Verdict> {
  let previous: Pick<Entry, 'seq' | 'seal'> = { seq: 0n, seal: genesisSeal };
  for (;;) {
    const batch = await selectEntriesAfter(db, previous.seq);
    for (const entry of batch) {
      if (entry.seq !== previous.seq + 1n) return { sound: false, badSeq: previous.seq + 1n, why: 'missing' };
      const seal = sealOf(previous.seal, entry);
      if (!seal.equals(entry.seal)) return { sound: false, badSeq: entry.seq, why: 'altered' };
      previous = entry;
    }
    if (batch.length === 0) return { sound: true, rows: previous.seq };
    await onProgress?.(previous.seq);
  }
}

/** Whether the newest row was sealed with the key of this process. An empty log fits every key. */
export async function fitsAuditKey(db: Db) {
  const last = await selectLastEntry(db);
  if (!last) return true;
  const rows = await selectEntriesAfter(db, last.seq - 2n);
  const entry = rows.find(({ seq }) => seq === last.seq);
  const previous = rows.find(({ seq }) => seq === last.seq - 1n);
  return entry !== undefined && sealOf(previous?.seal ?? genesisSeal, entry).equals(entry.seal);
}
