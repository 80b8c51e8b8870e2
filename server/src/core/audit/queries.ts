import type { Db, Tx } from '#server/core/db/db.ts';
import type { HeadLine } from './head-file.ts';

export type Entry = {
  seq: bigint;
  at: Date;
  actorId: string | null;
  apiKeyId: string | null;
  action: string;
  subjectId: string | null;
  details: string;
  seal: Buffer;
};

const columns = ['seq', 'at', 'actorId', 'apiKeyId', 'action', 'subjectId', 'details', 'seal'] as const;

export function selectLastEntry(db: Db) {
  return db.selectFrom('auditEntry').select(['seq', 'seal']).orderBy('seq', 'desc').limit(1).executeTakeFirst();
}

/** Returns the seals of these rows, by their number, as they are published. */
export async function selectSeals(db: Db, seqs: bigint[]) {
  const rows = await db
    .selectFrom('auditEntry')
    .select(['seq', 'seal'])
    .where('seq', '=', (from) => from.fn.any(from.val(seqs)))
    .execute();
  return new Map(rows.map(({ seq, seal }) => [String(seq), seal.toString('hex')]));
}

export function selectFirstAfter(db: Db, seq: bigint) {
  return db
    .selectFrom('auditEntry')
    .select(['seq', 'at'])
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
}

/** Returns who signed a restore in the two rows up to this one. */
export async function selectSigners(db: Db, { upTo, lostFrom }: { upTo: bigint; lostFrom: string }) {
  const rows = await db
    .selectFrom('auditEntry')
    .select('actorId')
    .where('seq', 'in', [upTo - 1n, upTo])
    .where('action', '=', 'audit.sign-restore')
    .where('subjectId', '=', lostFrom)
    .execute();
  return rows.flatMap(({ actorId }) => actorId ?? []);
}

/** Returns the copy of the newest published head. */
export async function selectHead(db: Db) {
  const head = await db.selectFrom('auditHead').select(['seq', 'seal', 'at', 'signature']).executeTakeFirst();
  return head && { ...head, seq: String(head.seq), at: head.at.toISOString() };
}

/** Keeps the newer of two heads, because several workers publish. */
export function upsertHead(tx: Tx, { seq, seal, at, signature }: HeadLine) {
  const values = { seq: BigInt(seq), seal, at: new Date(at), signature };
  return tx
    .insertInto('auditHead')
    .values(values)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values).where('auditHead.at', '<=', values.at))
    .execute();
}

export function selectEntriesAfter(db: Db, seq: bigint): Promise<Entry[]> {
  return db.selectFrom('auditEntry').select(columns).where('seq', '>', seq).orderBy('seq').limit(5_000).execute();
}

export function insertEntry(tx: Tx, entry: Entry) {
  return tx.insertInto('auditEntry').values(entry).execute();
}
