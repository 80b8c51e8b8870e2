import type { Db, Tx } from '#server/core/db/db.ts';

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

export function selectSeal(db: Db, seq: bigint) {
  return db.selectFrom('auditEntry').select('seal').where('seq', '=', seq).executeTakeFirst();
}

export function selectEntriesAfter(db: Db, seq: bigint): Promise<Entry[]> {
  return db.selectFrom('auditEntry').select(columns).where('seq', '>', seq).orderBy('seq').limit(5_000).execute();
}

export function insertEntry(tx: Tx, entry: Entry) {
  return tx.insertInto('auditEntry').values(entry).execute();
}
